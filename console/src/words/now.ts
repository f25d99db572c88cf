// How things stand, in one sentence. Pure: counts and objects in, words out.
import type { Summary } from "@/api/inventory";
import type { Entity, State } from "@/api/shapes";
import { span } from "./time";

export interface Standing {
  total: number;
  by: Record<State, number>;
}

export function standingOf(summary: Summary | undefined): Standing {
  const by: Record<State, number> = { FAILED: 0, HELD: 0, DEGRADED: 0, PENDING: 0, READY: 0 };
  for (const each of summary?.items ?? []) by[each.state] = (by[each.state] ?? 0) + each.count;
  return { total: Object.values(by).reduce((sum, count) => sum + count, 0), by };
}

export interface Clause {
  text: string;
  state?: State;
}

/** "1,204 of 1,210 in step; 4 converging; 2 held, oldest 14 min", each part with the filter behind it. */
export function sentence({ total, by }: Standing, unwell: Entity[], now: number): Clause[] {
  const words: [State, string][] = [
    ["FAILED", "failed"],
    ["HELD", "held"],
    ["DEGRADED", "degraded"],
    ["PENDING", "converging"],
  ];
  const first: Clause = { text: `${number(by.READY)} of ${number(total)} in step`, state: "READY" };
  const others = words
    .filter(([state]) => by[state] > 0)
    .map(([state, word]) => ({ text: `${number(by[state])} ${word}${oldest(state, unwell, now)}`, state }));
  return [first, ...others];
}

function oldest(state: State, unwell: Entity[], now: number): string {
  if (state === "PENDING") return "";
  const since = unwell
    .filter((each) => each.status.state === state && each.status.since)
    .map((each) => Date.parse(each.status.since ?? ""));
  return since.length ? `, oldest ${span((now - Math.min(...since)) / 1000)}` : "";
}

/** A count with its thousands set apart, without the tables of all languages that a browser would load for it. */
export const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** What would be one card: many objects that are unwell for the same reason. */
export interface Need {
  key: string;
  first: Entity;
  others: Entity[];
}

/** Causes, not lines: what says the same, or only repeats what another says about itself, is one card. */
export function needs(unwell: Entity[]): Need[] {
  const stuck = unwell.filter((entity) => entity.status.state !== "PENDING");
  const found = new Map<string, Need>();
  for (const entity of stuck) {
    const cause = causeOf(entity, stuck);
    const key = [cause.kind, shape(cause)].join(" ");
    const known = found.get(key);
    if (!known) found.set(key, { key, first: cause, others: entity === cause ? [] : [entity] });
    else if (entity !== known.first) known.others.push(entity);
  }
  return [...found.values()];
}

/** The object that an object's reason is about: "dns_zone example-org: no answer" is example-org's own affair. */
function causeOf(entity: Entity, among: Entity[]): Entity {
  const { reason } = entity.status;
  const causes = among.filter(
    (other) =>
      other !== entity &&
      other.status.reason.length < reason.length &&
      reason.endsWith(other.status.reason) &&
      reason.includes(other.metadata.name),
  );
  const [cause] = causes.sort((one, other) => one.status.reason.length - other.status.reason.length);
  return cause ?? entity;
}

/** A reason without what tells one object from the next. */
function shape({ status, metadata }: Entity): string {
  return status.reason.replaceAll(metadata.name, "…").replace(/\d+/g, "#");
}
