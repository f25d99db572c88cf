// @vitest-environment node
import { expect, test } from "vitest";
import type { Action } from "@/api/plans";
import type { Entity } from "@/api/shapes";
import { recordsOf, valuesOf } from "./zone";

const record = (name: string, state = "READY") =>
  ({ spec: { name, type: "A", ttl: 300, values: ["192.0.2.1"] }, status: { state } }) as unknown as Entity;
const action = (verb: string, item: string, before: unknown) => ({ verb, item, before }) as unknown as Action;

test("what is in step was seen as it is wanted", () => {
  expect(recordsOf([record("www")], [])).toMatchObject([
    { item: "www/A", wanted: "192.0.2.1 · 300 s", seen: "192.0.2.1 · 300 s", verb: "" },
  ]);
});

test("what differs comes first, with what was seen instead", () => {
  const seen = { values: ["198.51.100.7"], ttl: 60 };
  const found = recordsOf([record("api"), record("www", "DEGRADED")], [action("update", "www/A", seen)]);
  expect(found.map((each) => [each.name, each.seen, each.verb])).toEqual([
    ["www", "198.51.100.7 · 60 s", "update"],
    ["api", "192.0.2.1 · 300 s", ""],
  ]);
});

test("what is at the provider and declared nowhere is shown, and what is still to be made was not seen", () => {
  const found = recordsOf(
    [record("new", "PENDING")],
    [
      action("create", "new/A", null),
      action("delete", "old/TXT", { values: ["x"] }),
      action("create", "zone", null),
    ],
  );
  expect(found.map((each) => [each.item, each.wanted, each.seen])).toEqual([
    ["new/A", "192.0.2.1 · 300 s", ""],
    ["old/TXT", "", "x"],
  ]);
});

test("values are read however they are written", () => {
  expect(valuesOf({ records: [{ value: "1" }, { value: "2" }] })).toBe("1, 2");
  expect(valuesOf("text")).toBe("text");
  expect(valuesOf(null)).toBe("");
});
