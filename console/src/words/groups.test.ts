import { describe, expect, it } from "vitest";
import type { Action } from "@/api/plans";
import { grouped, risk, since, veiled } from "./groups";

const action = (verb: string, item: string, before: object | null = null, after: object | null = null) =>
  ({ verb, item, before, after, explicit: false, protected: false, weight: 1 }) as Action;

describe("a plan by its causes", () => {
  it("is one row for a thousand equal changes", () => {
    const many = Array.from({ length: 1000 }, (_, n) =>
      action("update", `web-${n}`, { size: "cx22", ip: `10.0.0.${n}` }, { size: "cx42", ip: `10.0.0.${n}` }),
    );
    expect(grouped(many).map((group) => [group.cause, group.actions.length])).toEqual([
      ["size cx22 → cx42", 1000],
    ]);
  });

  it("puts what is taken away above what is made", () => {
    const found = grouped([
      action("create", "a"),
      action("update", "b", { x: 1 }, { x: 2 }),
      action("replace", "c", { x: 1 }, { x: 2 }),
      action("delete", "d", { x: 1 }),
    ]);
    expect(found.map((group) => group.verb)).toEqual(["delete", "replace", "update", "create"]);
  });

  it("is told more coarsely where every value differs", () => {
    const many = Array.from({ length: 40 }, (_, n) => action("update", `${n}`, { ttl: n }, { ttl: n + 1 }));
    expect(grouped(many)).toHaveLength(1);
    expect(grouped(many)[0]?.cause).toBe("ttl");
  });

  it("says of a secret only that it changed", () => {
    const [before, after] = [
      { api_token: "abc", size: 1 },
      { api_token: "xyz", size: 1 },
    ];
    expect(veiled(after, before)).toEqual({ api_token: "changed", size: 1 });
    expect(JSON.stringify(veiled(before, after))).not.toContain("abc");
    expect(veiled({ credential: "secret://hetzner" })).toEqual({ credential: "secret://hetzner" });
  });

  it("tells what a newer plan has that was not shown", () => {
    const shown = [action("delete", "a", { x: 1 }), action("delete", "b", { x: 1 })];
    const now = [action("delete", "b", { x: 2 }), action("delete", "c")];
    const found = since(shown, now);
    expect(found.added.map((each) => each.item)).toEqual(["c"]);
    expect(found.gone.map((each) => each.item)).toEqual(["a"]);
    expect(found.other.map((each) => each.item)).toEqual(["b"]);
  });

  it("has a word for how bad it could be", () => {
    expect(risk({ delete: 12 }, 12).word).toBe("destroys all 12");
    expect(risk({ delete: 2, create: 4 }, 12).word).toBe("destroys 2 of 12");
    expect(risk({ create: 4 }, 12).word).toBe("takes nothing away");
  });
});
