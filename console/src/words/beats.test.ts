// @vitest-environment node
import { expect, test } from "vitest";
import { beatsOf, CELLS, summaryOf } from "./beats";

const NOW = 1_000_000_000;

test("what was heard is heard, what was missed while looking is silent, the last ten seconds wait", () => {
  const opened = NOW - 40_000;
  const beats = beatsOf({ heard: [NOW - 35_000, NOW - 15_000], opened }, NOW + 1);
  expect(beats.slice(-5)).toEqual(["heard", "silent", "heard", "silent", "waiting"]);
  expect(beats[0]).toBe("unknown");
});

test("before the page was opened, what was concluded counts, from then on", () => {
  const beats = beatsOf({ heard: [NOW], opened: NOW, alive: true, since: NOW - 95_000 }, NOW + 1);
  expect(beats.filter((beat) => beat === "alive").length).toBe(10);
  expect(beats.at(-1)).toBe("heard");
  expect(summaryOf(beats)).toBe(`alive in 11 of the last ${CELLS} times ten seconds, silent in 0`);
});

test("one that was found silent stays so until it is heard", () => {
  const beats = beatsOf({ heard: [], opened: NOW, alive: false, since: NOW - 600_000 }, NOW + 1);
  expect(beats.slice(0, -1).every((beat) => beat === "silent")).toBe(true);
});
