// @vitest-environment node
import { expect, test } from "vitest";
import { previewed, reasons, sliced, toggled } from "./selection";

const ORDER = ["a", "b", "c", "d"];

test("a row is chosen, and let go", () => {
  const one = toggled(new Set(), ORDER, "b", null);
  expect([...one]).toEqual(["b"]);
  expect([...toggled(one, ORDER, "b", null)]).toEqual([]);
});

test("a stretch is chosen in both directions, and adds to what was chosen", () => {
  expect([...toggled(new Set(["a"]), ORDER, "d", "b")].sort()).toEqual(["a", "b", "c", "d"]);
  expect([...toggled(new Set(), ORDER, "a", "c")].sort()).toEqual(["a", "b", "c"]);
});

test("a stretch from a row that is gone is that one row", () => {
  expect([...toggled(new Set(), ORDER, "c", "gone")]).toEqual(["c"]);
});

test("what happens is said before it does, and the same reason once", () => {
  const told = [
    { ref: "1", allowed: true, why: "" },
    { ref: "2", allowed: false, why: "it is protected" },
    { ref: "3", allowed: false, why: "it is protected" },
  ];
  expect(previewed(told, "paused")).toBe("3 chosen: 1 will be paused, 2 will not");
  expect(previewed(told.slice(0, 1), "paused")).toBe("1 chosen: 1 will be paused");
  expect(reasons(told, (ref) => `n${ref}`)).toEqual([{ why: "it is protected", names: ["n2", "n3"] }]);
});

test("many are asked about in pieces", () => {
  expect(sliced([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
  expect(sliced([], 2)).toEqual([]);
});
