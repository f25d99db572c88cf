// What happens together: what is built comes before anything is taken away, each wave twice as large as the last.
import type { Moving } from "@/api/plans";
import { DESTRUCTIVE } from "@/words/groups";

export interface Wave {
  title: string;
  rows: Moving[];
}

/** Waves as they began; what has not begun yet comes last. Acts that begin within a moment of each other are one. */
const TOGETHER_MS = 1_500;

export function waves(rows: Moving[]): Wave[] {
  const begun = rows.filter((row) => row.attempts.length > 0).sort((one, other) => began(one) - began(other));
  const found: Wave[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let destroys = false;
  for (const row of begun) {
    const ends = DESTRUCTIVE.has(row.verb);
    if (began(row) - last > TOGETHER_MS || ends !== destroys || found.length === 0)
      found.push({
        title: `${ends ? "deletes" : "creates and updates"}, wave ${found.length + 1}`,
        rows: [],
      });
    found.at(-1)?.rows.push(row);
    last = began(row);
    destroys = ends;
  }
  const waiting = rows.filter((row) => row.attempts.length === 0);
  return waiting.length ? [...found, { title: "still to come", rows: waiting }] : found;
}

const began = (row: Moving) => Date.parse(row.attempts.at(-1)?.began_at ?? "");
