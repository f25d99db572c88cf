// @vitest-environment node
// All sheets are one when the console is built: what one page calls its own must not be called so by another.
import { expect, test } from "vitest";

const SHEETS = import.meta.glob<string>("../**/*.css", { query: "?raw", import: "default", eager: true });

test("no two sheets say what the same class looks like", () => {
  const places = new Map<string, Set<string>>();
  for (const [path, sheet] of Object.entries(SHEETS))
    for (const [, name = ""] of sheet.matchAll(/^(\.[\w-]+)(?=,$| \{$)/gm))
      places.set(name, (places.get(name) ?? new Set()).add(path));
  expect(places.size).toBeGreaterThan(100);
  expect([...places].filter(([, where]) => where.size > 1)).toEqual([]);
});
