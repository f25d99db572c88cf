// How a plan stands, as a word with its symbol.
import type { PlanState, ShortPlan } from "@/api/plans";
import type { Tone } from "@/words/state";

export const PLAN_STATES: Record<PlanState, { word: string; symbol: string; tone: Tone }> = {
  asked: { word: "being made", symbol: "…", tone: "blue" },
  shown: { word: "dry run", symbol: "?", tone: "blue" },
  held: { word: "HELD", symbol: "!", tone: "orange" },
  approved: { word: "approved, under way", symbol: "…", tone: "blue" },
  rejected: { word: "rejected", symbol: "✗", tone: "gray" },
  stale: { word: "out of date", symbol: "?", tone: "gray" },
  done: { word: "done", symbol: "=", tone: "green" },
};

/** A plan that was approved in part is not simply done. */
export function stateOf(plan: ShortPlan): (typeof PLAN_STATES)[PlanState] {
  const some = plan.agreed_count > 0 && plan.agreed_count < plan.asked_count;
  if (!some || (plan.state !== "done" && plan.state !== "approved")) return PLAN_STATES[plan.state];
  const of = `${plan.agreed_count} of ${plan.asked_count}`;
  const known = PLAN_STATES[plan.state];
  return { ...known, word: plan.state === "done" ? `${of} approved and done` : `${of} approved, under way` };
}
