// What of a task's story is read: trouble always, and what went well in between as one line. Pure.
import type { Turn } from "@/api/tasks";

export type Part = { turn: Turn } | { quiet: Turn[] };

const FEWEST = 3;

export const isBad = (turn: Pick<Turn, "said">) =>
  /failed|could not|broke|refused|longer than/.test(turn.said);

/** The last turn is never folded: it says how it stands. */
export function folded(story: Turn[]): Part[] {
  const found: Part[] = [];
  let quiet: Turn[] = [];
  const close = () => {
    found.push(...(quiet.length < FEWEST ? quiet.map((turn) => ({ turn })) : [{ quiet }]));
    quiet = [];
  };
  for (const [at, turn] of story.entries()) {
    if (!isBad(turn) && at < story.length - 1) {
      quiet.push(turn);
      continue;
    }
    close();
    found.push({ turn });
  }
  close();
  return found;
}
