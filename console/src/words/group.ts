// A group as places: those that are filled, those still missing, and those it may grow into. Pure.
import type { Entity } from "@/api/shapes";

export type Slot = { sort: "host"; host: Entity } | { sort: "missing" } | { sort: "room" };

const MOST = 60;

export function slotsOf(hosts: Entity[], desired: number, max: number): Slot[] {
  const filled = hosts.map((host): Slot => ({ sort: "host", host }));
  const missing = Array.from(
    { length: Math.max(0, desired - hosts.length) },
    (): Slot => ({ sort: "missing" }),
  );
  const room = Array.from(
    { length: Math.max(0, max - Math.max(desired, hosts.length)) },
    (): Slot => ({ sort: "room" }),
  );
  return [...filled, ...missing, ...room].slice(0, MOST);
}

/** "3 of 3 wanted are ready; 2 to 10 are allowed". */
export function groupSentence(hosts: Entity[], spec: { desired: number; min: number; max: number }): string {
  const ready = hosts.filter((host) => host.status.state === "READY").length;
  return `${ready} of ${spec.desired} wanted are ready; ${spec.min} to ${spec.max} are allowed`;
}

/** How long it decides nothing new, after what it decided last; 0 where it may at once. */
export function restsFor(decidedAt: number | undefined, cooldown: number, now: number): number {
  return decidedAt === undefined ? 0 : Math.max(0, decidedAt + cooldown - now / 1000);
}
