// @vitest-environment node
import { expect, test } from "vitest";
import { cellOf, gathered, matches, patternsOf, pressed, type Rule, tidy } from "./rules";

const SHOP: Rule[] = [
  { keys: ["project.*"], verbs: ["read", "update"] },
  { keys: ["project.dns_zone"], verbs: ["update"], effect: "forbid" },
  { keys: ["organization.provider"], verbs: ["read"], names: ["hetzner"] },
];

test("a pattern reaches what lies below it, and never a machine's own key", () => {
  expect(matches("project.*", "project.workspace.host")).toBe(true);
  expect(matches("project.*", "project")).toBe(false);
  expect(matches("*", "agent.report")).toBe(false);
});

test("a forbid wins, and what reaches some objects only is partly", () => {
  expect(cellOf(SHOP, "project.workspace.host", "read")).toBe("allow");
  expect(cellOf(SHOP, "project.dns_zone", "update")).toBe("forbid");
  expect(cellOf(SHOP, "organization.provider", "read")).toBe("partly");
  expect(cellOf(SHOP, "organization.provider", "delete")).toBe("");
});

test("pressing a cell goes around: nothing, allowed, forbidden", () => {
  const once = pressed([], "organization.plan", "read");
  expect(once).toEqual([{ keys: ["organization.plan"], verbs: ["read"], effect: "allow" }]);
  const twice = pressed(once, "organization.plan", "read");
  expect(cellOf(twice, "organization.plan", "read")).toBe("forbid");
  expect(pressed(twice, "organization.plan", "read")).toEqual([]);
});

test("what a pattern allows goes from allowed to forbidden and back, and the pattern stays", () => {
  const shut = pressed(SHOP, "project.workspace.host", "update");
  expect(cellOf(shut, "project.workspace.host", "update")).toBe("forbid");
  expect(cellOf(shut, "project.dns_record", "update")).toBe("allow");
  expect(cellOf(pressed(shut, "project.workspace.host", "update"), "project.workspace.host", "update")).toBe(
    "allow",
  );
});

test("equal rules are put together, and narrowed ones are left alone", () => {
  const loose: Rule[] = [
    { keys: ["a"], verbs: ["update"] },
    { keys: ["b"], verbs: ["read", "update"] },
    { keys: ["a"], verbs: ["read"] },
    { keys: ["a"], verbs: ["delete"], project: "shop" },
  ];
  expect(tidy(loose)).toEqual([
    { keys: ["a", "b"], verbs: ["read", "update"], effect: "allow" },
    { keys: ["a"], verbs: ["delete"], project: "shop" },
  ]);
});

test("patterns are those that stand for several keys", () => {
  expect(
    patternsOf(["organization", "organization.plan", "organization.plan.approve", "organization.role"]),
  ).toEqual(["*", "organization.*"]);
});

test("answers about single verbs are gathered by key and place", () => {
  expect(
    gathered([
      { verb: "read", key: "project", scope: "acme" },
      { verb: "update", key: "project", scope: "acme" },
    ]),
  ).toEqual([{ key: "project", scope: "acme", verbs: ["read", "update"] }]);
});
