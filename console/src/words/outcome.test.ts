// @vitest-environment node
import { expect, test } from "vitest";
import type { Group } from "@/api/plans";
import { risk } from "./groups";
import { madeOf, partsOf } from "./outcome";

const group = (key: string, verb: string, count: number): Group => ({
  key,
  verb,
  cause: "no longer declared",
  count,
  asked: count,
  named: ["a", "b", "c"],
});
const GROUPS = [group("d", "delete", 8), group("r", "replace", 1), group("u", "update", 2)];

const titles = (outcomes: Parameters<typeof partsOf>[1]) =>
  partsOf(GROUPS, outcomes).map(({ title }) => title);

test("what nobody decided about would be done", () => {
  expect(titles({})).toEqual(["Would delete and replace 9", "Would update 2"]);
});

test("what was approved in part is told as done and as left out", () => {
  const parts = partsOf(GROUPS, {
    d: { done: 4, left_out: 4 },
    r: { left_out: 1 },
    u: { done: 2 },
  });
  expect(parts.map(({ title }) => title)).toEqual(["Deleted 4", "Left out 5", "Updated 2"]);
  expect(parts.map(({ outcomes }) => outcomes)).toEqual([["done"], ["left_out"], ["done"]]);
  expect(parts[0]?.groups.map(({ count, named }) => [count, named])).toEqual([[4, []]]);
});

test("what failed, what is under way and what was not done are told apart", () => {
  expect(
    titles({ d: { done: 1, failed: 2, waiting: 3, started: 2 }, r: { not_done: 1 }, u: { done: 2 } }),
  ).toEqual(["Deleted 1", "Failed to delete 2", "Still to delete 5", "Was to replace 1", "Updated 2"]);
});

test("a rejected plan was to do it", () => {
  expect(titles({ d: { not_done: 8 }, r: { not_done: 1 }, u: { not_done: 2 } })).toEqual([
    "Was to delete and replace 9",
    "Was to update 2",
  ]);
});

test("how much was made is known once it is decided", () => {
  expect(madeOf(GROUPS, {})).toBeUndefined();
  expect(madeOf(GROUPS, { d: { done: 4, left_out: 4 }, u: { done: 2 } })).toEqual({ delete: 4, update: 2 });
});

test("the word for how bad it is has a tense", () => {
  expect(risk({ delete: 8 }, 12, "would").word).toBe("would destroy 8 of 12");
  expect(risk({ delete: 4 }, 12, "did").word).toBe("destroyed 4 of 12");
  expect(risk({ delete: 8 }, 12, "was to").word).toBe("was to destroy 8 of 12");
  expect(risk({}, 12, "did").word).toBe("destroyed nothing");
});
