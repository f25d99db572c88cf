// Plans: those that wait for a person, what belongs beside one, and the answer.
import { queryOptions } from "@tanstack/react-query";
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
}

export interface Plan extends Named {
  actions: Action[];
  /** Items that a yes is about; the others go along with it. */
  asked: string[];
  agreed: string[];
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
  progress: Moving[];
  usual: Record<string, { p50: number; p90: number }>;
}

export function plansQuery(organization: string, state: string) {
  return queryOptions({
    queryKey: ["plans", organization, "short", state],
    queryFn: ({ signal }) =>
      get<Page<ShortPlan>>(
        at("/v1/organizations/{organization}/plans", { organization }),
        { state, view: "short", page_size: 100 },
        signal,
      ),
    enabled: Boolean(organization),
  });
}

export function planQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["plan", organization, id],
    queryFn: ({ signal }) =>
      get<Plan>(at("/v1/organizations/{organization}/plans/{id}", { organization, id }), {}, signal),
    enabled: Boolean(organization && id),
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
