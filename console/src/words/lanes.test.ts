// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { WholeTask } from "@/api/tasks";
import { axisOf, stuck } from "./lanes";

const START = Date.parse("2026-11-16T12:00:00Z");
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const turn = (step: string, from: number, to: number, more = {}) => ({
  step,
  state: "running" as const,
  said: `${step} done`,
  first: at(from),
  last: at(to),
  times: 1,
  ...more,
});
const task = (more: Partial<WholeTask>) =>
  ({
    id: "t",
    steps: ["account", "perimeter", "verify"],
    steps_done: ["account", "perimeter", "verify"],
    state: "done",
    step: "verify",
    created_at: at(0),
    changed_at: at(10),
    story: [turn("account", 2, 2), turn("perimeter", 6, 6), turn("verify", 10, 10)],
    earlier: [],
    usual: null,
    usual_steps: {},
    ...more,
  }) as unknown as WholeTask;

describe("a task on a time axis", () => {
  it("has a lane for each step, one after the other", () => {
    const { lanes, folds } = axisOf(task({}), START);
    expect(lanes.map((lane) => [lane.step, lane.state, lane.seconds])).toEqual([
      ["account", "done", 2],
      ["perimeter", "done", 4],
      ["verify", "done", 4],
    ]);
    expect(lanes[1]?.bars[0]?.from).toBeCloseTo(0.2);
    expect(folds).toEqual([]);
  });

  it("folds a long quiet time and says how long it was", () => {
    const waited = task({
      story: [turn("account", 2, 2), turn("perimeter", 7202, 7202)],
      changed_at: at(7204),
    });
    const { folds, lanes } = axisOf(waited, START);
    expect(folds.map((fold) => fold.seconds)).toEqual([7200]);
    const bar = lanes[1]?.bars[0];
    expect((bar?.to ?? 0) - (bar?.from ?? 0)).toBeLessThan(0.1);
  });

  it("goes on while the task does", () => {
    const open = task({
      state: "waiting",
      step: "perimeter",
      steps_done: ["account"],
      story: [turn("account", 2, 2)],
    });
    const { lanes } = axisOf(open, START + 20_000);
    expect(lanes.map((lane) => lane.state)).toEqual(["done", "waiting", "to come"]);
    expect(lanes[1]?.seconds).toBe(18);
  });

  it("is stuck when it takes longer than ninety-nine in a hundred", () => {
    const usual = { p50: 3, p99: 9 };
    expect(stuck({ created_at: at(0), state: "running", usual }, START + 10_000)).toBe(true);
    expect(stuck({ created_at: at(0), state: "running", usual }, START + 8_000)).toBe(false);
    expect(stuck({ created_at: at(0), state: "done", usual }, START + 99_000)).toBe(false);
  });
});
