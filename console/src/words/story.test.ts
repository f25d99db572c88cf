// @vitest-environment node
import { expect, test } from "vitest";
import type { Turn } from "@/api/tasks";
import { folded } from "./story";

const turn = (said: string): Turn => ({
  step: "a",
  state: "running",
  said,
  first: "2026-11-16T07:00:00Z",
  last: "2026-11-16T07:00:00Z",
  times: 1,
});
const told = (...said: string[]) =>
  folded(said.map(turn)).map((part) => ("turn" in part ? part.turn.said : part.quiet.length));

test("what went well is one line; trouble and the last word never are folded", () => {
  expect(told("a done", "b done", "c done", "d failed: x", "d done", "e done")).toEqual([
    3,
    "d failed: x",
    "d done",
    "e done",
  ]);
  expect(told("a done", "b done", "c done", "it waits")).toEqual([3, "it waits"]);
});

test("two are not worth a fold, and nothing is nothing", () => {
  expect(told("a done", "b done", "c failed: x")).toEqual(["a done", "b done", "c failed: x"]);
  expect(told()).toEqual([]);
});
