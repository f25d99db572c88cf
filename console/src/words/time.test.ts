// @vitest-environment node
import { expect, test } from "vitest";
import { clock } from "./time";

const NOON = Date.UTC(2026, 0, 5, 12) / 1000;

test("a mark of an axis is the hour, the second where marks are near, and the day where that is new", () => {
  expect(clock(NOON, undefined, true)).toBe("12:00");
  expect(clock(NOON, NOON - 3600, true)).toBe("12:00");
  expect(clock(NOON, NOON - 30, true)).toBe("12:00:00");
  expect(clock(NOON, NOON - 86_400, true)).toBe("5 Jan");
});
