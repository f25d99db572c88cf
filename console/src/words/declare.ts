// Declaring an object, as a form sends it and as a file says it.
import { entityPath } from "@/api/kinds";
import type { Json, Kind } from "@/api/shapes";
import type { Deed } from "./deed";

export interface Declaring {
  name: string;
  organization?: string;
  project?: string;
  workspace?: string;
  labels?: Record<string, string>;
  spec: Record<string, Json>;
}

export function declareDeed(kind: Kind, declaring: Declaring): Deed {
  const { name, organization, project, workspace, labels = {}, spec } = declaring;
  const scope = Object.fromEntries(
    Object.entries({ project, workspace }).filter(([level, value]) => value && reaches(kind, level)),
  ) as Record<string, string>;
  const marked: { [key: string]: Json } = Object.keys(labels).length ? { labels } : {};
  const manifest: Json = { kind: kind.name, metadata: { name: name || "…", ...scope, ...marked }, spec };
  const organized = organization && kind.level !== "installation" ? ` -O ${organization}` : "";
  return {
    method: "PUT",
    path: entityPath(kind, { organization, project, workspace, name: name || "…" }),
    body: { metadata: marked, spec },
    command: `setpoint apply -f ${name || kind.name}.yaml${organized}`,
    manifest,
  };
}

const LEVELS = ["organization", "project", "workspace"];

/** Whether objects of this kind lie below a level. */
export function reaches(kind: Kind, level: string): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(kind.level);
}
