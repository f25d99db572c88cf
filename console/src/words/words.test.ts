// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { Entity, Kind, State } from "@/api/shapes";
import { asCurl, asPython, quoted } from "./deed";
import { differences } from "./difference";
import { fieldsOf, specOf } from "./form";
import { needs, sentence, standingOf } from "./now";
import { strictest } from "./state";
import { ago, span } from "./time";

const NOW = Date.parse("2026-11-16T12:00:00Z");

function unwell(kind: string, name: string, state: State, reason: string): Entity {
  const status = {
    state,
    reason,
    since: "2026-11-16T11:46:00Z",
    plan: "",
    facts: {},
    conditions: [],
    observed_at: null,
  };
  return { kind, metadata: { name, ref: `${kind}/${name}` }, spec: {}, status } as unknown as Entity;
}

describe("times", () => {
  it.each([
    [12, "12 s"],
    [840, "14 min"],
    [7300, "2 h"],
    [200_000, "2 d"],
  ])("%d seconds are %s", (seconds, words) => expect(span(seconds)).toBe(words));
  it("are said from now", () => {
    expect(ago("2026-11-16T11:46:00Z", NOW)).toBe("14 min ago");
    expect(ago("2026-11-16T12:00:05Z", NOW)).toBe("in 5 s");
    expect(ago(null, NOW)).toBe("never");
  });
});

describe("how things stand", () => {
  const summary = {
    items: [
      { kind: "host", state: "READY" as State, count: 1204 },
      { kind: "host", state: "PENDING" as State, count: 4 },
      { kind: "dns_zone", state: "HELD" as State, count: 2 },
    ],
  };
  it("is one sentence, worst first, with the oldest", () => {
    const held = [unwell("dns_zone", "a", "HELD", "x")];
    const words = sentence(standingOf(summary), held, NOW).map((clause) => clause.text);
    expect(words).toEqual(["1,204 of 1,210 in step", "2 held, oldest 14 min", "4 converging"]);
  });
  it("tells causes, not lines: what only waits for another is that one's affair", () => {
    const lost = "listing of rrsets incomplete: 0 of 14";
    const found = needs([
      unwell("dns_record", "www", "DEGRADED", `dns_zone example-org: ${lost}`),
      unwell("dns_record", "api", "DEGRADED", `dns_zone example-org: ${lost}`),
      unwell("dns_zone", "example-org", "DEGRADED", lost),
      unwell("host", "web-1", "FAILED", "no such size"),
    ]);
    expect(found.map(({ first, others }) => [first.metadata.name, others.length])).toEqual([
      ["example-org", 2],
      ["web-1", 0],
    ]);
  });
});

describe("the same elsewhere", () => {
  const deed = {
    method: "PUT" as const,
    path: "/v1/x",
    body: { reason: "it's off", yes: true },
    command: "",
  };
  it("as curl, with quotes that a shell reads", () => {
    expect(asCurl(deed, "http://h")).toContain(`-d '{"reason":"it'\\''s off","yes":true}'`);
    expect(quoted("plain-word")).toBe("plain-word");
  });
  it("as Python, with its own words for truth", () =>
    expect(asPython(deed, "http://h")).toContain('"yes": True'));
});

describe("differences", () => {
  it("are found field by field; a list is one value", () => {
    const found = differences({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [2] }, d: "new" });
    expect(found.map(({ field, same }) => [field, same])).toEqual([
      ["a", true],
      ["b.c", false],
      ["d", false],
    ]);
  });
});

describe("a form from a schema", () => {
  const kind = {
    name: "thing",
    schema: {
      $ref: "#/$defs/Thing",
      $defs: {
        Thing: {
          properties: {
            size: { type: "string", default: "s" },
            provider: { type: "string" },
            many: { type: "integer" },
            on: { type: "boolean" },
            sort: { enum: ["a", "b"] },
            tags: { type: "array", items: { type: "string" } },
            rules: { type: "array", items: { $ref: "#/$defs/Rule" } },
          },
          required: ["provider"],
        },
        Rule: { type: "object" },
      },
    },
  } as unknown as Kind;
  it("gives each property the field of its type, the needed ones first", () => {
    const fields = fieldsOf(kind, [{ name: "provider" } as Kind]);
    expect(fields.map(({ name, sort }) => `${name} ${sort}`)).toEqual([
      "provider text",
      "size text",
      "many number",
      "on truth",
      "sort choice",
      "tags list",
      "rules json",
    ]);
    expect(fields[0]?.names).toBe("provider");
  });
  it("sends what was said, and nothing that is so anyway", () => {
    const fields = fieldsOf(kind, []);
    expect(specOf(fields, { provider: "hetzner", size: "s", many: undefined })).toEqual({
      provider: "hetzner",
    });
    expect(specOf(fields, { size: "s" }, { size: "m" })).toEqual({ size: "s" });
  });
});

describe("modes", () => {
  it("are decided by the strictest", () =>
    expect(strictest(["run", "observe", "no-deletes"])).toBe("observe"));
});
