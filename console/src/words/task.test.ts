// @vitest-environment node
import { expect, test } from "vitest";
import { whyNotCancel, whyNotRetry } from "./task";

const task = { id: "t1", state: "failed" as const, cancelled: "" };

test("what is over is not cancelled, nor what is cancelled already", () => {
  expect(whyNotCancel(task)).toBe("it is failed");
  expect(whyNotCancel({ ...task, state: "waiting", cancelled: "by ann: no" })).toContain("by ann");
  expect(whyNotCancel({ ...task, state: "running" })).toBe("");
});

test("only what failed is begun once more, and once", () => {
  expect(whyNotRetry(task, [])).toBe("");
  expect(whyNotRetry(task, [{ ...task, id: "t2" }])).toContain("already");
  expect(whyNotRetry({ ...task, state: "done" }, [])).toBe("nothing failed");
  expect(whyNotRetry({ ...task, state: "waiting" }, [])).toContain("by itself");
});
