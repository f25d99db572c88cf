// Plans: held ones, and what a change would do.
import { at, get, type Sent, send } from "./request";
import type { Json } from "./shapes";

export interface Action {
  verb: string;
  item: string;
  before?: Json;
  after?: Json;
  [more: string]: Json | undefined;
}

export interface Hold {
  guard: string;
  message: string;
  withholds: "plan" | "deletes" | "items";
  items: string[];
}

export interface Plan {
  id: string;
  ref: string;
  kind: string;
  name: string;
  state: string;
  digest: string;
  actions: Action[];
  holds: Hold[];
  note: string;
  author: string;
  created_at: string;
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
