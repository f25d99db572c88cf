// For tests only: no test reaches a network, and one that asks for what it did not answer itself fails.
import { afterEach, beforeEach, expect, vi } from "vitest";

let unanswered: string[] = [];

beforeEach(() => {
  unanswered = [];
  vi.stubGlobal("fetch", async (address: string) => {
    unanswered.push(address);
    throw new TypeError(`nobody answers ${address} here`);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  expect(unanswered).toEqual([]);
});
