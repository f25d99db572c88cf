// How much happened in each hour, as cells of a map. Pure.
import type { HeatRow } from "@/api/loops";
import type { Tone } from "./state";

export interface HeatCell {
  /** From 0, nothing, to 4. */
  step: number;
  tone: Tone;
  sign: string;
  words: string;
}

const STEPS = 4;

const sum = (row: HeatRow, at: number) =>
  (row.acts[at] ?? 0) + (row.held[at] ?? 0) + (row.failures[at] ?? 0) + (row.states[at] ?? 0);

export function most(rows: HeatRow[]): number {
  return Math.max(1, ...rows.flatMap((row) => row.acts.map((_, at) => sum(row, at))));
}

/** By the order of how much: one among thousands is still seen. */
export function cellsOf(row: HeatRow, top: number): HeatCell[] {
  return row.acts.map((acts, at) => {
    const [held, failures, states] = [row.held[at] ?? 0, row.failures[at] ?? 0, row.states[at] ?? 0];
    const all = sum(row, at);
    const step = all === 0 ? 0 : Math.max(1, Math.ceil((STEPS * Math.log1p(all)) / Math.log1p(top)));
    const told = [
      [acts, "done"],
      [held, "held"],
      [failures, "failed"],
      [states, "changes of state"],
    ].filter(([count]) => count);
    return {
      step,
      tone: failures ? "red" : held ? "orange" : all ? "blue" : "gray",
      sign: failures ? "✗" : held ? "!" : brief(acts),
      words: told.map(([count, word]) => `${count} ${word}`).join(", ") || "nothing",
    };
  });
}

const brief = (count: number) =>
  count === 0 ? "" : count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`;

/** "07": the hour that begins then. */
export function hourOf(at: string, utc: boolean): string {
  const date = new Date(at);
  return String(utc ? date.getUTCHours() : date.getHours()).padStart(2, "0");
}
