// The last hour by minutes, and what was told last; kept up by the stream once it was read.
import { queryOptions } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { base } from "./kinds";
import { get } from "./request";
import type { Told } from "./shapes";

export const BARS = ["declared", "acts", "states", "held", "failures"] as const;
export type Bar = (typeof BARS)[number];
export type Minute = { at: string } & Record<Bar, number>;

export interface Happened {
  type: string;
  ref: string;
  message: string;
  name: string;
  scope: { organization: string; project: string; workspace: string };
  at: string;
  revision: number;
}

export interface Hour {
  minutes: Minute[];
  latest: Happened[];
  complete: boolean;
}

const SORTS: Record<string, Bar> = {
  "entity.config_changed": "declared",
  "entity.state_changed": "states",
  "act.done": "acts",
  "act.failed": "failures",
  "plan.held": "held",
  "task.failed": "failures",
};
const MINUTE_MS = 60_000;
const LATEST = 10;

export function activityQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["hour", base(scope)],
    queryFn: () => get<Hour>(`${base(scope)}/activity`),
    enabled: Boolean(scope.organization),
    staleTime: 5 * MINUTE_MS,
  });
}

/** The hour with one more event in it; minutes that have passed are left behind. */
export function withEvent(hour: Hour, told: Told): Hour {
  const sort = SORTS[told.type];
  // In the order of their revisions: what is not newer than the newest is counted already.
  if (!sort || told.revision <= (hour.latest[0]?.revision ?? 0)) return hour;
  const moved = advanced(hour, Date.parse(told.at));
  const minute = Math.floor(Date.parse(told.at) / MINUTE_MS) * MINUTE_MS;
  const minutes = moved.minutes.map((each) =>
    Date.parse(each.at) === minute ? { ...each, [sort]: each[sort] + 1 } : each,
  );
  return { ...moved, minutes, latest: [happened(told), ...hour.latest].slice(0, LATEST) };
}

function happened(told: Told): Happened {
  const { name = "", organization = "", project = "", workspace = "" } = told.object?.metadata ?? {};
  return { ...told, name, scope: { organization, project, workspace } };
}

/** The sixty minutes that end now. */
export function advanced(hour: Hour, now: number): Hour {
  const last = hour.minutes.at(-1);
  if (!last) return hour;
  const missing = Math.floor((now - Date.parse(last.at)) / MINUTE_MS);
  if (missing < 1) return hour;
  const empty = { declared: 0, acts: 0, states: 0, held: 0, failures: 0 };
  const added = Array.from({ length: Math.min(missing, 60) }, (_, at) => ({
    at: new Date(Date.parse(last.at) + (at + 1) * MINUTE_MS).toISOString(),
    ...empty,
  }));
  return { ...hour, minutes: [...hour.minutes, ...added].slice(-60) };
}
