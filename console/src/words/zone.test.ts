// @vitest-environment node
import { expect, test } from "vitest";
import type { Action } from "@/api/plans";
import type { Entity } from "@/api/shapes";
import { recordsOf, valuesOf } from "./zone";

const SINCE = "2026-01-01T00:00:00Z";
const record = (name: string, state = "READY", reason = "", generation = 1) =>
  ({
    metadata: { generation },
    spec: { name, type: "A", ttl: 300, values: ["192.0.2.1"] },
    status: { state, reason, since: SINCE, observed_generation: 1 },
  }) as unknown as Entity;
const action = (verb: string, item: string, before: unknown) => ({ verb, item, before }) as unknown as Action;

test("what is in step is said to be as declared since then, and is not shown as if it were read", () => {
  expect(recordsOf([record("www")], [])).toMatchObject([
    { item: "www/A", wanted: "192.0.2.1 · 300 s", seen: "", says: "as declared", since: SINCE, verb: "" },
  ]);
});

test("what nobody looked at since it was changed is not said to be as declared", () => {
  const [found] = recordsOf([record("www", "READY", "", 2)], []);
  expect(found).toMatchObject({ seen: "", says: "not observed since it was changed" });
  expect(found?.since).toBeUndefined();
});

test("what is in the way at the provider is told in the words of the record", () => {
  const reason = "www/A exists without our mark; set adopt on the zone, or remove it";
  expect(recordsOf([record("www", "FAILED", reason)], [])).toMatchObject([{ seen: "", says: reason }]);
});

test("what differs comes first, with what was seen instead", () => {
  const seen = { values: ["198.51.100.7"], ttl: 60 };
  const found = recordsOf([record("api"), record("www", "DEGRADED")], [action("update", "www/A", seen)]);
  expect(found.map((each) => [each.name, each.seen, each.says, each.verb])).toEqual([
    ["www", "198.51.100.7 · 60 s", "", "update"],
    ["api", "", "as declared", ""],
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
  expect(found.map((each) => [each.item, each.wanted, each.seen, each.says])).toEqual([
    ["new/A", "192.0.2.1 · 300 s", "", "nothing there"],
    ["old/TXT", "", "x", ""],
  ]);
});

test("what is on its way out is not wanted any longer, and is still seen", () => {
  const leaving = record("www", "HELD");
  leaving.metadata.deleting = "pruned";
  const seen = { values: ["192.0.2.1"], ttl: 300 };
  expect(recordsOf([leaving], [action("delete", "www/A", seen)])).toMatchObject([
    { wanted: "", seen: "192.0.2.1 · 300 s", verb: "delete" },
  ]);
});

test("what was seen of a record is not guessed where only the first changes of a plan are at hand", () => {
  const found = recordsOf([record("a", "HELD"), record("b")], [], false);
  expect(found.map((each) => each.says)).toEqual(["see the plan", "as declared"]);
});

test("values are read however they are written", () => {
  expect(valuesOf({ records: [{ value: "1" }, { value: "2" }] })).toBe("1, 2");
  expect(valuesOf("text")).toBe("text");
  expect(valuesOf(null)).toBe("");
});
