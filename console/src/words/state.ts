// State words with their symbol and colour: never colour alone.
import type { Mode, State } from "@/api/shapes";

export const STATES: Record<State, { symbol: string; tone: Tone; worst: number }> = {
  FAILED: { symbol: "✗", tone: "red", worst: 0 },
  HELD: { symbol: "!", tone: "orange", worst: 1 },
  DEGRADED: { symbol: "▲", tone: "yellow", worst: 2 },
  PENDING: { symbol: "…", tone: "blue", worst: 3 },
  READY: { symbol: "=", tone: "green", worst: 4 },
};
export type Tone = "red" | "orange" | "yellow" | "blue" | "green" | "gray";

/** `word`: its name; `is`: how things stand under it; `does`: what somebody does who sets it. */
interface ModeWords {
  word: string;
  is: string;
  does: string;
  says: string;
  symbol: string;
  tone: Tone;
}

export const MODES: Record<Mode, ModeWords> = {
  run: {
    word: "run",
    is: "running",
    does: "Resume",
    says: "differences are closed, within the guards",
    symbol: "●",
    tone: "green",
  },
  "no-deletes": {
    word: "no deletes",
    is: "no deletes",
    does: "Allow no deletes",
    says: "creates and updates, deletes nothing",
    symbol: "◐",
    tone: "yellow",
  },
  observe: {
    word: "observe",
    is: "observing",
    does: "Only observe",
    says: "observes, and changes nothing",
    symbol: "○",
    tone: "blue",
  },
  stop: {
    word: "stop",
    is: "stopped",
    does: "Stop",
    says: "nothing is changed, whatever is declared",
    symbol: "■",
    tone: "red",
  },
};

/** What the reason says before somebody writes a better one: nobody should have to type to stop something. */
export const USUAL_REASONS: Record<Mode, string> = {
  run: "resolved",
  "no-deletes": "",
  observe: "",
  stop: "emergency",
};

export const VERBS: Record<string, { symbol: string; tone: Tone }> = {
  create: { symbol: "+", tone: "green" },
  update: { symbol: "~", tone: "blue" },
  replace: { symbol: "±", tone: "orange" },
  delete: { symbol: "-", tone: "red" },
};

/** The strictest of several modes decides. */
export function strictest(modes: Mode[]): Mode {
  const order: Mode[] = ["run", "no-deletes", "observe", "stop"];
  return modes.reduce((worst, mode) => (order.indexOf(mode) > order.indexOf(worst) ? mode : worst), "run");
}

/** What a switch is about, for people. */
export function reachOf(key: string): string {
  return key === "all"
    ? "everything, in all organizations"
    : key.replace(/^scope:/, "").replace(/^kind:/, "every ");
}
