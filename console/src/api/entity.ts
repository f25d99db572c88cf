// One object: itself, why it is so, what it was, what it has to do with.
import { queryOptions } from "@tanstack/react-query";
import { entityPath } from "./kinds";
import type { Plan } from "./plans";
import { at, get } from "./request";
import type { Entity, Json, Kind, Page } from "./shapes";

export interface Place {
  organization?: string;
  project?: string;
  workspace?: string;
  name: string;
}

/** `acme/shop/prod/web-1` of a kind that lives in a workspace. */
export function placeIn(kind: Kind, splat: string): Place {
  const parts = splat.split("/");
  const name = parts.pop() ?? "";
  const [organization, project, workspace] = parts;
  return kind.level === "installation" ? { name } : { organization, project, workspace, name };
}

export function entityQuery(kind: Kind, place: Place) {
  const path = entityPath(kind, place);
  return queryOptions({
    queryKey: ["entity", path],
    queryFn: () => get<Entity>(path),
    refetchInterval: ({ state }) => againAfter(state.data ? [state.data] : []),
  });
}

const SOONEST_MS = 2_000;
const LATEST_MS = 60_000;
const AFTER_MS = 1_500;

/** A look that finds nothing new tells no event: whoever shows when it was asks again after the next one. */
export function againAfter(shown: Entity[], now = Date.now()): number | false {
  const next = shown.flatMap(({ status }) => status.next_observation_at ?? []).map((at) => Date.parse(at));
  if (next.length === 0) return false;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...next) - now + AFTER_MS));
}

export interface Act {
  id: string;
  verb: string;
  item: string;
  before: Json;
  after: Json;
  state: string;
  began_at: number;
  ended_at: number;
  detail: string;
}

export interface Why {
  sentence: string;
  situation: string;
  chain: string[];
  next: string[];
  evidence: {
    plan: Plan | null;
    acts: Act[];
    events: { type: string; at: number; message: string; revision: number }[];
    pass: string;
    guards: { name: string; about: string; release: string; limits: Record<string, Json>; said: string }[];
  };
}

export function whyQuery(path: string) {
  return queryOptions({ queryKey: ["why", path], queryFn: () => get<Why>(`${path}:why`) });
}

export interface Past {
  generation: number;
  verb: string;
  by: string;
  at: string;
  spec: Record<string, Json>;
  labels: Record<string, string>;
  protected: boolean;
  changed: { field: string; before?: Json; after?: Json }[];
}

export function historyQuery(path: string) {
  return queryOptions({
    queryKey: ["history", path],
    queryFn: () => everyPast(path),
  });
}

/** Fifty at most; where each is large they come fewer at a time. */
async function everyPast(path: string): Promise<Past[]> {
  const found: Past[] = [];
  let token = "";
  do {
    const page = await get<Page<Past>>(`${path}/history`, { page_size: 50, page_token: token });
    found.push(...page.items);
    token = page.next_page_token;
  } while (token);
  return found;
}

export interface Relation {
  relation: "uses" | "used by" | "part of" | "has";
  object: Entity;
}

export function relatedQuery(organization: string, ref: string) {
  return queryOptions({
    queryKey: ["related", ref],
    queryFn: () =>
      get<Page<Relation>>(at("/v1/organizations/{organization}/inventory:related", { organization }), {
        ref,
        page_size: 100,
      }),
    select: (page) => page.items,
    enabled: Boolean(ref),
  });
}
