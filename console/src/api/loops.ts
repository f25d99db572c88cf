// Loops: one for each kind, and what its passes decided.
import { queryOptions } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { base } from "./kinds";
import type { Group, Hold, Measured } from "./plans";
import { at, get } from "./request";
import type { Mode, Page, State } from "./shapes";

/** One kind at one place. What only a scheduler knows is null where none has told of it lately. */
export interface LoopRow {
  kind: string;
  scope: Required<Scope>;
  every: number | null;
  entities: number;
  states: Partial<Record<State, number>>;
  last_pass: string | null;
  failed_at: string | null;
  due: number | null;
  p50: number | null;
  p99: number | null;
  queue: { ref: string; name: string }[];
  decisions: Decision[];
  slow: number;
  contested: number;
  braked: number;
  /** The first of what is slow, contested or braked; the counts above are of all of it. */
  troubles?: Trouble[];
  /** Deletes of the last hour that the budget paid for; those that a person approved are not charged to it. */
  deletes: number;
  approved_deletes?: number;
  /** What is wrong where it has not passed for long. */
  stale?: string;
}

export interface Trouble {
  sort: "slow" | "contested" | "braked";
  ref: string;
  name: string;
  /** Empty: the whole of it. */
  item: string;
  says: string;
}

/** How large one decision was. */
export interface Decision {
  id: string;
  at: string;
  changed: number;
  gone: number;
  held: string[];
}

export interface LoopsPage extends Page<LoopRow> {
  budget: { limit: number; left: number };
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

/** In brief: its changes come in pages, and of every list of its case only some are here. */
export interface WholePass extends Pass {
  groups: Group[];
  case: {
    plan: { reason: string; desired: number; actual: number };
    ledger: { accepted: number; wave: number; looks: number; sizes: number[] };
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
  /** How many of which sort. */
  allowed: Record<string, number>;
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

const AGAIN_MS = 5_000;
const UNTIL_TOLD_MS = 1_000;

/** Schedulers tell how their loops fare from when somebody looks: the first to look waits a moment. */
function again(page: LoopsPage | undefined): number {
  const told = !page?.items.length || page.items.some((row) => row.last_pass !== null);
  return told ? AGAIN_MS : UNTIL_TOLD_MS;
}

export function loopsQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["loops", base(scope)],
    queryFn: ({ signal }) => get<LoopsPage>(`${base(scope)}/loops`, { page_size: 100 }, signal),
    enabled: Boolean(scope.organization),
    // A pass that finds all as it should be tells no event: whoever wants to see it beat has to ask.
    refetchInterval: (query) => again(query.state.data),
  });
}

/** A number for each hour of the last day. */
export interface HeatRow {
  kind: string;
  acts: number[];
  declared: number[];
  failures: number[];
  held: number[];
  states: number[];
}

export interface HeatPage {
  hours: string[];
  items: HeatRow[];
  since: string;
}

const HEAT_MS = 60_000;

/** Counted anew from events each time: asked for now and then, while somebody looks. */
export function heatQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["heat", base(scope)],
    queryFn: ({ signal }) => get<HeatPage>(`${base(scope)}/activity:hours`, {}, signal),
    enabled: Boolean(scope.organization),
    refetchInterval: HEAT_MS,
  });
}

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
