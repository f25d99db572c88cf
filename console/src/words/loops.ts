// Rows of loops as sentences: what needs somebody, and how they stand together. Pure.
import type { LoopRow } from "@/api/loops";
import type { Mode } from "@/api/shapes";

/** What needs somebody comes first. */
export function trouble(row: LoopRow, mode: Mode): number {
  const { FAILED = 0, HELD = 0, DEGRADED = 0, PENDING = 0 } = row.states;
  const stuck = row.slow + row.contested + row.braked;
  const weight = FAILED * 1000 + HELD * 500 + stuck * 300 + DEGRADED * 100 + PENDING * 10;
  return weight + (mode === "run" ? 0 : 5000);
}

/** A loop that has not passed for three of its intervals is late: it, or what it asks, does not answer. */
export function late(row: LoopRow, now: number): boolean {
  if (!row.every || !row.last_pass || row.entities === 0) return false;
  return now - Date.parse(row.last_pass) > 3000 * row.every + 10_000;
}

export function sentence(rows: LoopRow[], stopped: number, more = false): string {
  const sum = (count: (row: LoopRow) => number) => rows.reduce((all, row) => all + count(row), 0);
  const parts = [
    more ? `the first ${rows.length} loops` : rows.length === 1 ? "1 loop" : `${rows.length} loops`,
  ];
  const told: [number, string][] = [
    [sum((row) => row.entities), "objects"],
    [sum((row) => row.due ?? 0), "due now"],
    [sum((row) => row.states.HELD ?? 0), "held"],
    [sum((row) => row.slow), "in the slow lane"],
    [stopped, "not running"],
  ];
  for (const [count, word] of told) if (count) parts.push(`${count} ${word}`);
  return parts.join(", ");
}

/** Several places of one kind as one row: what a page about the kind shows. */
export function together(rows: LoopRow[]): LoopRow | undefined {
  const [first, ...others] = rows;
  if (!first) return undefined;
  return others.reduce((one, other) => {
    const states = { ...one.states };
    for (const [state, count] of Object.entries(other.states) as [keyof typeof states, number][])
      states[state] = (states[state] ?? 0) + count;
    const most = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));
    const later = (a: string | null, b: string | null) => ((a ?? "") > (b ?? "") ? a : b);
    return {
      ...one,
      states,
      entities: one.entities + other.entities,
      last_pass: later(one.last_pass, other.last_pass),
      failed_at: later(one.failed_at, other.failed_at),
      due: one.due === null ? other.due : one.due + (other.due ?? 0),
      p50: most(one.p50, other.p50),
      p99: most(one.p99, other.p99),
      queue: [...one.queue, ...other.queue],
      decisions: [...one.decisions, ...other.decisions].sort((a, b) => (a.at < b.at ? -1 : 1)),
      slow: one.slow + other.slow,
      contested: one.contested + other.contested,
      braked: one.braked + other.braked,
      troubles: [...(one.troubles ?? []), ...(other.troubles ?? [])],
      deletes: one.deletes + other.deletes,
      approved_deletes: (one.approved_deletes ?? 0) + (other.approved_deletes ?? 0),
    };
  }, first);
}
