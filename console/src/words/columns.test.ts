// @vitest-environment node
import { expect, test } from "vitest";
import type { Entity, Kind } from "@/api/shapes";
import { changed, choosable, shownOf } from "./columns";

const HOST = {
  name: "host",
  columns: { SIZE: "spec.size" },
  schema: {
    $ref: "#/$defs/Host",
    $defs: {
      Host: {
        properties: {
          size: { type: "string" },
          image: { $ref: "#/$defs/Image" },
          open: { type: "array", items: { type: "integer" } },
          network: { type: "object" },
        },
      },
      Image: { enum: ["debian"], type: "string", description: "What it boots." },
    },
  },
} as unknown as Kind;
const ROW = { status: { facts: { address: "192.0.2.1", disks: [{}] } } } as unknown as Entity;

test("columns come from the schema and from what was seen; whole objects fit in no cell", () => {
  const all = choosable(HOST, [ROW]);
  const keys = all.map((each) => each.key);
  expect(keys).toEqual(
    expect.arrayContaining(["spec.size", "spec.image", "spec.open", "status.facts.address", "labels"]),
  );
  expect(keys).not.toContain("spec.network");
  expect(keys).not.toContain("status.facts.disks");
  expect(new Set(keys).size).toBe(keys.length);
  expect(all.find((each) => each.key === "spec.image")).toMatchObject({
    title: "Image",
    about: "What it boots.",
  });
});

test("without a choice the kind decides; with one the address does", () => {
  expect(shownOf(HOST, undefined)).toEqual(["place", "spec.size", "reason", "since", "changed"]);
  expect(shownOf(undefined, undefined)[0]).toBe("kind");
  expect(shownOf(HOST, "reason,labels")).toEqual(["reason", "labels"]);
});

test("one more and one less keep the order in which columns are offered", () => {
  const all = choosable(HOST, []);
  expect(changed(["reason"], all, "place")).toBe("place,reason");
  expect(changed(["place", "reason"], all, "place")).toBe("reason");
});
