// @vitest-environment node
import { expect, test } from "vitest";
import type { LoopRow } from "@/api/loops";
import { late, sentence, together, trouble } from "./loops";

const quiet: LoopRow = {
  kind: "host",
  scope: { organization: "acme", project: "shop", workspace: "prod" },
  every: 10,
  entities: 3,
  states: { READY: 3 },
  last_pass: "2026-01-01T00:00:00Z",
  failed_at: null,
  due: 0,
  p50: 0.01,
  p99: 0.02,
  queue: [],
  decisions: [],
  slow: 0,
  contested: 0,
  braked: 0,
  deletes: 0,
};

test("what is stopped comes before what fails, and that before what is quiet", () => {
  const failing = { ...quiet, states: { FAILED: 1 } };
  const slow = { ...quiet, slow: 1 };
  const ranks = [
    trouble(quiet, "stop"),
    trouble(failing, "run"),
    trouble(slow, "run"),
    trouble(quiet, "run"),
  ];
  expect(ranks).toEqual([...ranks].sort((one, other) => other - one));
  expect(new Set(ranks).size).toBe(4);
});

test("a loop is late after three of its intervals, never where nothing is to be looked at", () => {
  const at = Date.parse("2026-01-01T00:00:00Z");
  expect(late(quiet, at + 39_000)).toBe(false);
  expect(late(quiet, at + 41_000)).toBe(true);
  expect(late({ ...quiet, entities: 0 }, at + 1e9)).toBe(false);
  expect(late({ ...quiet, last_pass: null }, at + 1e9)).toBe(false);
});

test("the sentence says only what there is", () => {
  expect(sentence([quiet], 0)).toBe("1 loop, 3 objects");
  expect(sentence([quiet, { ...quiet, due: 2, slow: 1, states: { HELD: 3 } }], 1)).toBe(
    "2 loops, 6 objects, 2 due now, 3 held, 1 in the slow lane, 1 not running",
  );
});

test("places of one kind add up; the slowest and the latest are told", () => {
  const other: LoopRow = {
    ...quiet,
    p99: 3,
    last_pass: "2026-01-02T00:00:00Z",
    states: { READY: 1, HELD: 2 },
  };
  const both = together([quiet, other]);
  expect(both?.entities).toBe(6);
  expect(both?.states).toEqual({ READY: 4, HELD: 2 });
  expect(both?.p99).toBe(3);
  expect(both?.last_pass).toBe("2026-01-02T00:00:00Z");
  expect(together([])).toBeUndefined();
});
