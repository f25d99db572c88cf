// Moving a lever: the request, and the command that does the same.
import { at } from "@/api/request";
import type { Mode } from "@/api/shapes";
import { type Deed, quoted } from "./deed";

export function leverDeed(key: string, mode: Mode, reason: string): Deed {
  const [sort, place] = key.split(/:(.*)/);
  const where = key === "all" ? "--all" : `--${sort} ${place}`;
  const command =
    mode === "run"
      ? `setpoint resume ${where}`
      : `setpoint pause ${where} --mode ${mode} --reason ${quoted(reason || "…")}`;
  const path = at("/v1/switches/{key}", { key }).replace(/%2F/g, "/").replace(/%3A/g, ":");
  return { method: "PUT", path, body: { mode, reason }, command };
}
