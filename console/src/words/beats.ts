// Heartbeats as a row of cells, one for ten seconds, the newest at the right. Pure: now is handed in.
export const CELL_MS = 10_000;
export const CELLS = 30;

/** heard: in these ten seconds; alive: concluded from what was heard before we looked; silent; waiting; unknown. */
export type Beat = "heard" | "alive" | "silent" | "waiting" | "unknown";

export interface Pulse {
  /** Moments when it was heard, as far as this page knows. */
  heard: number[];
  /** Since when this page listens. */
  opened: number;
  /** What was concluded before: alive or not, and since when. */
  alive?: boolean;
  since?: number;
}

export function beatsOf(pulse: Pulse, now: number): Beat[] {
  const newest = Math.floor(now / CELL_MS) * CELL_MS;
  return Array.from({ length: CELLS }, (_, at) => beatAt(pulse, newest - (CELLS - 1 - at) * CELL_MS, now));
}

function beatAt({ heard, opened, alive, since }: Pulse, from: number, now: number): Beat {
  const until = from + CELL_MS;
  if (heard.some((each) => each >= from && each < until)) return "heard";
  if (from >= opened) return until > now ? "waiting" : "silent";
  if (alive === undefined || since === undefined || since > until) return "unknown";
  return alive ? "alive" : "silent";
}

/** "30 of 30", for those who do not see colours. */
export function summaryOf(beats: Beat[]): string {
  const good = beats.filter((beat) => beat === "heard" || beat === "alive").length;
  const silent = beats.filter((beat) => beat === "silent").length;
  return `alive in ${good} of the last ${beats.length} times ten seconds, silent in ${silent}`;
}
