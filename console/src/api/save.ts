// Saving a declaration on top of the very one that was looked at: what somebody else changed meanwhile is not lost.
import { ask, Refusal, send } from "./request";
import type { Entity, Json, Problem } from "./shapes";

export interface Wanted {
  metadata: { labels?: Record<string, string>; protected?: boolean };
  spec: Record<string, Json>;
}

/** `generation` 0 means that there is none yet. */
export async function save(path: string, wanted: Wanted, generation: number): Promise<Entity> {
  const condition: Record<string, string> = generation
    ? { "If-Match": await tagOf(path, generation) }
    : { "If-None-Match": "*" };
  return send<Entity>("PUT", path, { body: wanted, headers: condition });
}

async function tagOf(path: string, generation: number): Promise<string> {
  const { body: now, headers } = await ask<Entity>("GET", path);
  if (now.metadata.generation !== generation) throw new Refusal(overtaken(path, now, generation));
  return headers.get("ETag") ?? "*";
}

function overtaken(path: string, { metadata }: Entity, generation: number): Problem {
  return {
    type: "/docs/problems/conflict",
    title: "changed meanwhile",
    status: 409,
    code: "conflict",
    detail: `${metadata.changed_by} made it generation ${metadata.generation} while you edited generation ${generation}`,
    hint: "look at Changes, then open this tab again and make your change on top of theirs",
    instance: path,
    trace_id: "",
    retryable: false,
  };
}
