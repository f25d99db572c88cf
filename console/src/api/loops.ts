// Loops: one for each kind, and what its passes decided.
import { queryOptions } from "@tanstack/react-query";
import type { Action, Hold, Measured } from "./plans";
import { at, get } from "./request";
import type { Json, Mode, Page, State } from "./shapes";

export interface LoopRow {
  kind: string;
  every: number | null;
  default_every: number | null;
  on: { event: string; of: string }[];
  entities: number;
  states: Partial<Record<State, number>>;
}

export interface Pass {
  id: string;
  at: string;
  ref: string;
  kind: string;
  name: string;
  digest: string;
  changes: Record<string, number>;
  desired: number;
  actual: number;
  allowed: number;
  later: number;
  holds: (Hold & { withholds: string })[];
  approval: string;
}

export interface WholePass extends Pass {
  case: {
    plan: { actions: Action[]; reason: string; desired: number; actual: number };
    ledger: {
      accepted: number;
      wave: number;
      looks: number;
      sizes: number[];
      failing: Json;
      contested: Json;
    };
    limits: Record<string, number>;
    levers: { mode: Mode; source: string }[];
    recent: { id: string; item: string; verb: string; state: string; began_at: number; detail: string }[];
    looks: { item: string; found: string }[];
    rooms: { name: string; limit: number; left: number }[];
    protected: string[];
    interval: number;
    now: number;
  };
}

export interface Verdict {
  allowed: Action[];
  holds: Hold[];
  later: number;
  approval: string;
}

export interface Replayed {
  id: string;
  same: boolean;
  then: Verdict;
  now: Verdict;
  guards: Measured[];
}

export const loopsQuery = queryOptions({
  queryKey: ["summary", "loops"],
  queryFn: ({ signal }) => get<Page<LoopRow>>(at("/v1/loops"), { page_size: 200 }, signal),
  select: (page) => page.items,
});

export function passesQuery(organization: string, kind = "", size = 50, more: Record<string, string> = {}) {
  return queryOptions({
    queryKey: ["activity", "passes", organization, kind, size, more],
    queryFn: ({ signal }) =>
      get<Page<Pass>>(
        at("/v1/organizations/{organization}/passes", { organization }),
        { kind, page_size: size, ...more },
        signal,
      ),
    enabled: Boolean(organization),
    select: (page) => page.items,
  });
}

export function passQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["pass", organization, id],
    queryFn: ({ signal }) =>
      get<WholePass>(at("/v1/organizations/{organization}/passes/{id}", { organization, id }), {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: Boolean(organization && id),
  });
}

export const replayPath = (organization: string, id: string) =>
  at("/v1/organizations/{organization}/passes/{id}:replay", { organization, id });

export function replayQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["pass", organization, id, "replay"],
    queryFn: ({ signal }) => get<Replayed>(replayPath(organization, id), {}, signal),
    enabled: Boolean(organization && id),
  });
}
