// @vitest-environment node
import { describe, expect, it } from "vitest";
import { counted, risk, veiled } from "./groups";

describe("a plan in a word", () => {
  it("has what is taken away on top", () => {
    const verbs = ["create", "delete", "update", "delete"].map((verb) => ({ verb }));
    expect(counted(verbs)).toEqual([
      ["delete", 2],
      ["update", 1],
      ["create", 1],
    ]);
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

  it("has a word for how bad it could be", () => {
    expect(risk({ delete: 12 }, 12).word).toBe("would destroy all 12");
    expect(risk({ delete: 2, create: 4 }, 12).word).toBe("would destroy 2 of 12");
    expect(risk({ create: 4 }, 12).word).toBe("would destroy nothing");
  });
});
