// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { Entity, State, Told } from "@/api/shapes";
import { frames } from "./frames";
import { countsMoved, movedSummary, patchedAttention, patchedPages } from "./patch";

const entity = (name: string, state: State, generation = 1): Entity => ({
  kind: "host",
  metadata: {
    name,
    ref: `host/${name}`,
    labels: {},
    generation,
    protected: false,
    deleting: "",
    owner: "",
    created_at: "",
    changed_at: "",
    changed_by: "",
  },
  spec: {},
  status: {
    state,
    reason: "",
    since: null,
    observed_generation: generation,
    observed_at: null,
    conditions: [],
    facts: {},
    plan: "",
  },
});
const told = (object: Entity | null, ref: string): Told => ({
  type: "entity.state_changed",
  revision: 7,
  at: "2026-11-16T12:00:00Z",
  ref,
  message: "",
  object,
});

describe("what an event changes on screen", () => {
  const pages = {
    pages: [{ items: [entity("a", "READY"), entity("b", "READY")], next_page_token: "" }],
    pageParams: [""],
  };

  it("replaces the row it is about, and leaves the others as they are", () => {
    const after = patchedPages(pages, told(entity("b", "HELD"), "host/b"));
    expect(after?.pages[0]?.items.map((item) => item.status.state)).toEqual(["READY", "HELD"]);
    expect(after?.pages[0]?.items[0]).toBe(pages.pages[0]?.items[0]);
  });

  it("takes a row out of a list that is narrowed to another state", () => {
    const after = patchedPages(pages, told(entity("b", "HELD"), "host/b"), "READY");
    expect(after?.pages[0]?.items.map((item) => item.metadata.name)).toEqual(["a"]);
    const same = patchedPages(pages, told(entity("b", "READY", 2), "host/b"), "READY");
    expect(same?.pages[0]?.items.map((item) => item.metadata.generation)).toEqual([1, 2]);
  });

  it("takes a row away when its object is gone", () => {
    expect(
      patchedPages(pages, told(null, "host/a"))?.pages[0]?.items.map((item) => item.metadata.name),
    ).toEqual(["b"]);
  });

  it("never puts an older object in the place of a newer one", () => {
    const newer = { pages: [{ items: [entity("a", "READY", 3)], next_page_token: "" }], pageParams: [""] };
    expect(
      patchedPages(newer, told(entity("a", "HELD", 2), "host/a"))?.pages[0]?.items[0]?.status.state,
    ).toBe("READY");
  });

  it("moves one from one count to the other", () => {
    const summary = { items: [{ kind: "host", state: "READY" as State, count: 2 }] };
    expect(movedSummary(summary, "host", "READY", "HELD")?.items).toEqual([
      { kind: "host", state: "READY", count: 1 },
      { kind: "host", state: "HELD", count: 1 },
    ]);
    expect(movedSummary(summary, "host", "READY", "READY")).toBe(summary);
  });

  it("asks for counts again only when something not on screen came, went or changed its state", () => {
    const of = (type: string, ref = "agent/a") => countsMoved({ ...told(entity("a", "READY"), ref), type });
    expect(
      ["entity.state_changed", "entity.config_changed", "entity.deleted"].map((each) => of(each)),
    ).toEqual([true, true, true]);
    expect(["entity.status_changed", "plan.held", "task.done"].map((each) => of(each))).toEqual([
      false,
      false,
      false,
    ]);
    expect(of("switch.changed", "scope:acme")).toBe(false);
  });

  it("keeps what is unwell worst first, and lets go of what is READY", () => {
    const page = { items: [entity("a", "DEGRADED")], next_page_token: "" };
    const worse = patchedAttention(page, told(entity("b", "FAILED"), "host/b"));
    expect(worse?.items.map((item) => item.metadata.name)).toEqual(["b", "a"]);
    expect(patchedAttention(worse, told(entity("a", "READY"), "host/a"))?.items).toHaveLength(1);
  });
});

describe("frames of a stream", () => {
  it("are read whole, and what is unfinished waits for the rest", () => {
    const { found, rest } = frames(": at 3\nid: 3\n\nid: 4\nevent: x.y\ndata: {}\n\nid: 5\nda");
    expect(found).toEqual([
      { id: "3", data: "" },
      { id: "4", data: "{}" },
    ]);
    expect(rest).toBe("id: 5\nda");
  });
});
