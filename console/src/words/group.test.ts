// @vitest-environment node
import { expect, test } from "vitest";
import type { Entity } from "@/api/shapes";
import { groupSentence, restsFor, slotsOf } from "./group";

const host = (state: string) => ({ status: { state } }) as unknown as Entity;

test("places are filled, missing, or room to grow", () => {
  const found = slotsOf([host("READY"), host("PENDING")], 3, 5).map((slot) => slot.sort);
  expect(found).toEqual(["host", "host", "missing", "room", "room"]);
});

test("more hosts than are wanted leave nothing missing", () => {
  expect(slotsOf([host("READY"), host("READY")], 1, 2).map((slot) => slot.sort)).toEqual(["host", "host"]);
});

test("a huge group is cut", () => {
  expect(slotsOf([], 1000, 1000)).toHaveLength(60);
});

test("the sentence counts what is ready", () => {
  expect(groupSentence([host("READY"), host("FAILED")], { desired: 2, min: 1, max: 4 })).toBe(
    "1 of 2 wanted are ready; 1 to 4 are allowed",
  );
});

test("a group rests for its cooldown", () => {
  expect(restsFor(100, 30, 110_000)).toBe(20);
  expect(restsFor(100, 30, 200_000)).toBe(0);
  expect(restsFor(undefined, 30, 0)).toBe(0);
});
