// @vitest-environment node
import { expect, test } from "vitest";
import { appliedOf, isShown, keptOf, viewsOf, withView } from "./views";

const HELD = { name: "held hosts", search: { kind: "host", state: "HELD" } };

test("what cannot be read is no view", () => {
  expect(viewsOf("not json")).toEqual([]);
  expect(viewsOf('{"a": 1}')).toEqual([]);
  expect(viewsOf(JSON.stringify([HELD, null, { name: 3 }]))).toEqual([HELD]);
});

test("a view is what chooses rows and columns, not where one stands", () => {
  expect(keptOf({ kind: "host", at: "host/1", scope: "acme", state: "" })).toEqual({ kind: "host" });
});

test("showing a view forgets the filters before it", () => {
  expect(appliedOf(HELD)).toMatchObject({ kind: "host", state: "HELD", text: "", columns: "" });
});

test("a view is replaced by one of the same name, and known again when it is shown", () => {
  const wider = { name: "held hosts", search: { kind: "host" } };
  expect(withView([HELD], wider)).toEqual([wider]);
  expect(isShown(HELD, { state: "HELD", kind: "host", at: "x" })).toBe(true);
  expect(isShown(HELD, { kind: "host" })).toBe(false);
});
