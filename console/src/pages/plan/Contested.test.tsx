// What is contested is in the inbox with the command that releases it, and only in its own scope.
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contestedQuery } from "@/api/plans";
import { drawn } from "@/ui/drawn";
import { Contested } from "./Contested";

afterEach(cleanup);

const row = {
  kind: "dns_zone",
  metadata: { name: "example-org", organization: "acme", project: "shop", workspace: "" },
  item: "www/A",
  fields: ["ttl"],
  since: new Date(Date.now() - 60_000).toISOString(),
  release: "setpoint release dns_zone example-org www/A",
};

beforeEach(() => {
  vi.stubGlobal("fetch", async () => Response.json({ items: [row], next_page_token: "" }));
});

test("each has its fields, its object and its release", async () => {
  await drawn(<Contested />);
  expect(await screen.findByText("ttl of www/A")).toBeTruthy();
  expect(screen.getByText(row.release)).toBeTruthy();
  expect(screen.getByRole("link", { name: "example-org" })).toBeTruthy();
});

test("what lies elsewhere is not shown", async () => {
  const client = await drawn(<Contested />, "/inbox?scope=acme/blog");
  await vi.waitUntil(() => client.getQueryData(contestedQuery("acme").queryKey) !== undefined);
  expect(screen.queryByText("ttl of www/A")).toBeNull();
});
