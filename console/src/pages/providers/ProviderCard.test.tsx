// What a card says of reading: proven by a listing, not proven yet, and not to be had while the cloud is away.
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entity } from "@/api/shapes";
import { drawn } from "@/ui/drawn";
import { ProviderCard } from "./ProviderCard";

const LISTED = { servers: 3, marked: 2, zones: 1 };
const READING = ["reads everything", "cannot read now", "reading not proven"];

beforeEach(() => {
  vi.stubGlobal("fetch", async () => Response.json({ items: [], next_page_token: "" }));
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function provider(status: Partial<Entity["status"]>): Entity {
  const entity = {
    kind: "provider",
    metadata: { name: "hetzner", organization: "acme", ref: "provider/1", labels: {} },
    spec: { family: "hetzner_cloud", mode: "run", credential: "secret://hetzner" },
    status: { state: "READY", reason: "3 servers", facts: LISTED, conditions: [], ...status },
  };
  return entity as unknown as Entity;
}

const away = "hetzner has not answered for 40 s";

test.each<[string, Partial<Entity["status"]>, string]>([
  ["a listing now", {}, "reads everything"],
  ["the cloud is away", { state: "DEGRADED", reason: away }, "cannot read now"],
  ["it was refused", { state: "FAILED", reason: "401: no such token" }, "cannot read now"],
  ["it was not looked at for long", { stale: "not looked at for 10 min" }, "cannot read now"],
  ["nothing was listed yet", { state: "PENDING", facts: {} }, "reading not proven"],
  ["away from the first", { state: "DEGRADED", reason: away, facts: {} }, "reading not proven"],
])("%s", async (_, status, says) => {
  const shown = provider(status);
  await drawn(<ProviderCard provider={shown} />);
  expect(READING.filter((words) => screen.queryByText(words))).toEqual([says]);
  expect(screen.getByText(shown.status.reason)).toBeTruthy();
  expect(screen.queryByText(/writes: something there is ours/) !== null).toBe("marked" in shown.status.facts);
});
