// @vitest-environment node
import { expect, test } from "vitest";
import { lifted, marks, spoken, stacked, took } from "./series";

test("layers lie on each other", () => {
  expect(
    stacked([
      [1, 0, 2],
      [3, 4, 0],
    ]),
  ).toEqual([
    [1, 0, 2],
    [4, 4, 2],
  ]);
});

test("durations are short words", () => {
  expect([null, 0.0001, 0.0123, 0.9999, 1.44, 61, 120].map(took)).toEqual([
    "–",
    "1 ms",
    "12 ms",
    "1 s",
    "1.4 s",
    "61 s",
    "2 min",
  ]);
});

test("a picture has words", () => {
  expect(
    spoken(
      ["taken away", "made or changed"],
      [
        [0, 3],
        [2, 0],
      ],
    ),
  ).toBe("2 decisions: 3 taken away, 2 made or changed");
});

test("an axis has a line for each power of ten it reaches", () => {
  expect(marks(lifted(0.5))).toEqual([0]);
  expect(marks(lifted(100))).toEqual([0, 1, 10, 100]);
});
