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

export const MODES: Record<Mode, { word: string; says: string; tone: Tone }> = {
  run: { word: "run", says: "every difference is closed, within the guards", tone: "green" },
  "no-deletes": { word: "no deletes", says: "makes and changes, takes nothing away", tone: "yellow" },
  observe: { word: "observe", says: "looks, and changes nothing", tone: "blue" },
  stop: { word: "stop", says: "nothing is changed, whatever is declared", tone: "red" },
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
