// Plans: those that wait for a person, what belongs beside one, and the answer.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { at, get, type Sent, send } from "./request";
import type { Json, Metadata, Page } from "./shapes";

export type PlanState = "asked" | "shown" | "held" | "approved" | "rejected" | "stale" | "done";

export interface Action {
  verb: string;
  item: string;
  before: Json;
  after: Json;
  explicit: boolean;
  protected: boolean;
  weight: number;
}

export interface Hold {
  guard: string;
  message: string;
}

interface Named {
  id: string;
  ref: string;
  kind: string;
  name: string;
  state: PlanState;
  digest: string;
  holds: Hold[];
  desired: number;
  actual: number;
  generation: number;
  created_at: string;
  changed_at: string;
  author: string;
  decided_by: string;
  note: string;
  metadata: Partial<Metadata>;
}

/** A plan in a list. */
export interface ShortPlan extends Named {
  changes: Record<string, number>;
  weight: number;
  asked_count: number;
  agreed_count: number;
}

/** Changes that have the same cause; they themselves come in pages. */
export interface Group {
  key: string;
  verb: string;
  /** In a few words: what is the same for all of them. */
  cause: string;
  count: number;
  /** How many of them a yes is about; the others go along with it. */
  asked: number;
  named: string[];
}

/** A plan by its causes: as long as there are causes, however many changes there are. */
export interface GroupedPlan extends ShortPlan {
  groups: Group[];
}

export interface Plan extends GroupedPlan {
  /** The first of them; `rest` is where all are read, empty where these are all. */
  actions: Action[];
  rest: string;
}

export interface Change extends Action {
  asked?: boolean;
}

/** What became of a change once the plan was decided. */
export type Outcome =
  | "done"
  | "failed"
  | "started"
  | "unknown"
  | "later"
  | "waiting"
  | "left_out"
  | "not_done";
/** By the key of a group: how many of its changes came to what; empty while nothing is decided. */
export type Outcomes = Record<string, Partial<Record<Outcome, number>>>;

export interface Otherwise {
  how: "new" | "otherwise" | "no longer";
  verb: string;
  item: string;
}

export interface Measured {
  name: string;
  about: string;
  withholds: "plan" | "deletes" | "items";
  release: string;
  approvable: boolean;
  held: boolean;
  message: string;
  items: string[];
  used?: number;
  allowed?: number;
  of?: string;
  least?: boolean;
  /** Who approved the plan although this guard held it. */
  overruled_by?: string;
  limits: { name: string; value: number; from: string }[];
}

export interface Attempt {
  id: string;
  state: string;
  began_at: string;
  ended_at: string | null;
  detail: string;
}

export interface Moving {
  item: string;
  verb: string;
  state: "waiting" | "later" | "started" | "unknown" | "done" | "failed";
  attempts: Attempt[];
}

export interface Review {
  id: string;
  digest: string;
  pass: string;
  guards: Measured[];
  used_by: { kind: string; metadata: Pick<Metadata, "name" | "organization" | "project" | "workspace"> }[];
  why_not: string;
  yes_holds_seconds: number;
  newer: string;
  decided_at: string | null;
  /** How many changes are in which state, once somebody said yes. */
  progress: Partial<Record<Moving["state"], number>>;
  outcomes: Outcomes;
  /** How many were left out of the yes, and the plan that asks about them now, if there is one. */
  left_out: { count: number; plan: string };
  usual: Record<string, { p50: number; p90: number }>;
}

export function plansQuery(organization: string, state: string) {
  return queryOptions({
    queryKey: ["plans", organization, "short", state],
    queryFn: ({ signal }) =>
      get<Page<ShortPlan>>(
        at("/v1/organizations/{organization}/plans", { organization }),
        { state, page_size: 100 },
        signal,
      ),
    enabled: Boolean(organization),
  });
}

// An item that another writer keeps changing back; no approval lets go of it, a release does.
export interface Contested {
  kind: string;
  metadata: Pick<Metadata, "name" | "organization" | "project" | "workspace">;
  item: string;
  fields: string[];
  since: string;
  release: string;
}

export function contestedQuery(organization: string) {
  return queryOptions({
    queryKey: ["plans", organization, "contested"],
    queryFn: ({ signal }) =>
      get<Page<Contested>>(
        at("/v1/organizations/{organization}/contested", { organization }),
        { page_size: 100 },
        signal,
      ),
    enabled: Boolean(organization),
  });
}

export function planQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["plan", organization, id],
    queryFn: ({ signal }) =>
      get<GroupedPlan>(
        at("/v1/organizations/{organization}/plans/{id}", { organization, id }),
        { view: "groups" },
        signal,
      ),
    enabled: Boolean(organization && id),
  });
}

/** Where the changes of a plan are read, or of a pass on record. */
export const changesPath = {
  plan: (organization: string, id: string) =>
    at("/v1/organizations/{organization}/plans/{id}:changes", { organization, id }),
  pass: (organization: string, id: string) =>
    at("/v1/organizations/{organization}/passes/{id}:changes", { organization, id }),
};

const MEMBERS = 50;
const NAMES = 500;

export function membersQuery(path: string, group: string, outcomes: Outcome[] = []) {
  const outcome = outcomes.join(",");
  return infiniteQueryOptions({
    queryKey: ["changes", path, group, outcome],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      get<Page<Change>>(path, { group, outcome, page_size: MEMBERS, page_token: pageParam }, signal),
    getNextPageParam: (page) => page.next_page_token || undefined,
    // Another plan has another address: what is in it never changes, only what becomes of it.
    staleTime: outcome ? 0 : Number.POSITIVE_INFINITY,
  });
}

/** The names of all that is asked in a group. */
export async function askedIn(path: string, group: string): Promise<string[]> {
  const found: string[] = [];
  let token = "";
  do {
    const query = { group, view: "short", page_size: NAMES, page_token: token };
    const page = await get<Page<Pick<Change, "item" | "asked">>>(path, query);
    found.push(...page.items.filter((each) => each.asked).map((each) => each.item));
    token = page.next_page_token;
  } while (token);
  return found;
}

export function otherwiseQuery(organization: string, id: string, than: string) {
  return queryOptions({
    queryKey: ["plan", organization, id, "than", than],
    queryFn: ({ signal }) =>
      get<Page<Otherwise>>(changesPath.plan(organization, id), { than, page_size: 100 }, signal),
  });
}

export function progressQuery(organization: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ["plan", organization, id, "progress"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      get<Page<Moving>>(
        at("/v1/organizations/{organization}/plans/{id}:progress", { organization, id }),
        { page_size: 100, page_token: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.next_page_token || undefined,
  });
}

export function reviewQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["plan", organization, id, "review"],
    queryFn: ({ signal }) =>
      get<Review>(at("/v1/organizations/{organization}/plans/{id}:review", { organization, id }), {}, signal),
    enabled: Boolean(organization && id),
  });
}

export function decisionPath(organization: string, id: string, verb: "approve" | "reject"): string {
  return verb === "approve"
    ? at("/v1/organizations/{organization}/plans/{id}:approve", { organization, id })
    : at("/v1/organizations/{organization}/plans/{id}:reject", { organization, id });
}

const WAIT_SECONDS = 10;

/** What a change would do: asked of the scheduler, nothing is stored. */
export async function preview(method: string, path: string, sent: Sent, organization: string): Promise<Plan> {
  const asked = await send<Plan>(method, path, { ...sent, query: { ...sent.query, dry_run: true } });
  const place = { organization, id: asked.id };
  const route = at("/v1/organizations/{organization}/operations/{id}:wait", place);
  const over = await get<{ response?: Plan }>(route, { timeout: WAIT_SECONDS });
  return over.response ?? get<Plan>(at("/v1/organizations/{organization}/plans/{id}", place));
}
