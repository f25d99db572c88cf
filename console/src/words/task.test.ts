// @vitest-environment node
import { expect, test } from "vitest";
import { saidOfRetry, whyNotCancel, whyNotRetry } from "./task";

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

test("a retry says from which step, and what stands", () => {
  expect(saidOfRetry({ from: "account", stands: [] })).toContain("first step, account");
  expect(saidOfRetry({ from: "verify", stands: ["perimeter"] })).toBe(
    "It goes on from verify; what perimeter did stands, and is not done again.",
  );
  expect(saidOfRetry(null)).toContain("not known");
});
