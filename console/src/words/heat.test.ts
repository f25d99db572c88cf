// @vitest-environment node
import { expect, test } from "vitest";
import { cellsOf, hourOf, most } from "./heat";

const row = {
  kind: "dns_zone",
  acts: [0, 1, 2000, 3, 0],
  held: [0, 0, 0, 1, 0],
  failures: [0, 0, 0, 2, 0],
  states: [0, 0, 0, 0, 1],
  declared: [0, 0, 0, 0, 0],
};

test("more is darker, by its order, and one among thousands is still seen", () => {
  expect(most([row])).toBe(2000);
  expect(cellsOf(row, most([row])).map((cell) => cell.step)).toEqual([0, 1, 4, 2, 1]);
});

test("the worst of an hour is its sign and its colour, and all of it is said", () => {
  const [nothing, one, many, bad] = cellsOf(row, most([row]));
  expect(nothing).toMatchObject({ tone: "gray", sign: "", words: "nothing" });
  expect(one).toMatchObject({ tone: "blue", sign: "1", words: "1 done" });
  expect(many?.sign).toBe("2k");
  expect(bad).toMatchObject({ tone: "red", sign: "✗", words: "3 done, 1 held, 2 failed" });
});

test("an hour has two digits", () => {
  expect(hourOf("2026-11-16T07:00:00.000+00:00", true)).toBe("07");
});
