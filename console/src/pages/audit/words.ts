// What a line says beside who and what.
import type { Line } from "@/api/audit";
import type { Json } from "@/api/shapes";
import { said } from "@/words/difference";

/** Why somebody did it, where they said so; of an act, what was done. */
export function reasonOf(line: Line): string {
  const { reason, said: told, verb, item } = line.detail;
  return said((reason || told || (verb ? `${verb} ${item ?? ""}` : "")) as Json).trim();
}

/** Names of what lines are about: those about intent say them, the others only know refs. */
export function namesIn(lines: Line[]): Map<string, string> {
  return new Map(
    lines.filter(({ detail }) => detail.name).map(({ ref, detail }) => [ref, String(detail.name)]),
  );
}

/** `web-1`, or what a ref says where nothing names it. */
export function nameOf(line: Line, names: Map<string, string>): string {
  const [kind = "", ...rest] = line.ref.split("/");
  const name = names.get(line.ref);
  if (name) return name;
  return kind === "switch" || kind === "secret" ? rest.join("/") : `…${rest.join("/").slice(-6)}`;
}

/** All it holds but what the page shows elsewhere. */
export function restOf(line: Line): [string, Json][] {
  return Object.entries(line.detail).filter(
    ([key, value]) => key !== "name" && key !== "reason" && value !== "",
  );
}

/** The plan that a line is about or came from. */
export function planOf(line: Line): string {
  const [kind, id] = line.ref.split("/");
  return kind === "plan" ? (id ?? "") : said(line.detail.plan as Json);
}
