// How a plan stands, as a word with its symbol.
import type { PlanState } from "@/api/plans";
import type { Tone } from "@/words/state";

export const PLAN_STATES: Record<PlanState, { word: string; symbol: string; tone: Tone }> = {
  asked: { word: "being made", symbol: "…", tone: "blue" },
  shown: { word: "dry run", symbol: "?", tone: "blue" },
  held: { word: "HELD", symbol: "!", tone: "orange" },
  approved: { word: "approved, under way", symbol: "…", tone: "blue" },
  rejected: { word: "rejected", symbol: "✗", tone: "gray" },
  stale: { word: "stale", symbol: "?", tone: "gray" },
  done: { word: "done", symbol: "=", tone: "green" },
};
