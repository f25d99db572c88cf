// Brings the stream into the query cache: rows are patched where they lie, what cannot be patched is asked for again.
import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { connection } from "@/api/connection";
import type { Asked, Summary } from "@/api/inventory";
import { base } from "@/api/kinds";
import { signedOut } from "@/api/request";
import type { Entity, Page, State, Told } from "@/api/shapes";
import { type Feed, openFeed } from "./feed";
import { countsMoved, movedSummary, patchedAttention, patchedEntity, patchedPages, stale } from "./patch";
import type { Health, Word } from "./stream";

const TOGETHER_MS = 400; // Events come in bursts; questions are asked again once for a burst.
const POLL_MS = 5_000;

interface Live {
  health: Health;
  /** The last event that was heard, for pages that show them. */
  listen: (hear: (told: Told) => void) => () => void;
  /** Tells other tabs at once that a switch was moved, also one above all organizations. */
  flipped: () => void;
}

const Context = createContext<Live>({ health: "catching up", listen: () => () => {}, flipped: () => {} });

export const useLive = () => useContext(Context);

/** Calls `hear` with every event while the component is there. */
export function useEvents(hear: (told: Told) => void): void {
  const { listen } = useLive();
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => listen((told) => latest.current(told)), [listen]);
}

export function LiveProvider({ organization, children }: { organization: string; children: ReactNode }) {
  const client = useQueryClient();
  const [health, setHealth] = useState<Health>("catching up");
  const listeners = useRef(new Set<(told: Told) => void>());
  const feed = useRef<Feed | null>(null);
  useEffect(() => {
    const refresh = together(client);
    let before: Health = "catching up";
    feed.current ??= openFeed((word: Word) => {
      if (word.sort === "health") {
        setHealth(word.health);
        if (word.health === "live") connection.heard();
        else connection.wasHeard(word.heard);
        if (before === "live" && word.health !== "live") void connection.suspect();
        before = word.health;
      }
      if (word.sort === "health" && word.health === "signed out") signedOut.dispatchEvent(new Event("out"));
      // Told of while it is open; one that was moved while it was cut is looked for when it is back.
      const back = word.sort === "health" && word.health === "live";
      if (word.sort === "flipped" || back) void client.invalidateQueries({ queryKey: ["switches"] });
      if (word.sort === "gap") void client.invalidateQueries();
      if (word.sort !== "told" || word.events.length === 0) return;
      connection.heard();
      const asked: string[] = [];
      for (const told of word.events) {
        if (!apply(client, told)) asked.push("summary");
        // Not with the burst: a stop is to be seen at once.
        if (told.type === "switch.changed") void client.invalidateQueries({ queryKey: ["switches"] });
        for (const hear of listeners.current) hear(told);
      }
      refresh(word.events, [...asked, ...inFlight(client)]);
    });
  }, [client]);
  useEffect(() => {
    if (organization) feed.current?.follow(organization);
  }, [organization]);
  useEffect(() => {
    if (health !== "polling") return;
    // While the connection is cut these only wait.
    const timer = setInterval(() => void client.invalidateQueries(), POLL_MS);
    return () => clearInterval(timer);
  }, [client, health]);
  useEffect(
    () =>
      connection.watch(() => {
        if (connection.now()) return;
        feed.current?.retry();
        void client.invalidateQueries();
      }),
    [client],
  );
  const value = useMemo<Live>(
    () => ({
      health,
      listen: (hear) => {
        listeners.current.add(hear);
        return () => listeners.current.delete(hear);
      },
      flipped: () => feed.current?.flipped(),
    }),
    [health],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Patches what is on screen; tells whether the counts could be kept right without asking. */
function apply(client: QueryClient, told: Told): boolean {
  const before = stateBefore(client, told.ref);
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["inventory"] })) {
    const asked = (queryKey[2] ?? {}) as Asked;
    const before = client.getQueryData<InfiniteData<Page<Entity>>>(queryKey);
    const after = patchedPages(before, told, asked.state);
    if (after === before) continue;
    client.setQueryData(queryKey, after);
    // Whether it still belongs there only the server can say.
    if (asked.filter || asked.labels) void client.invalidateQueries({ queryKey, exact: true });
  }
  client.setQueriesData<Entity>({ queryKey: ["entity"] }, (known) => patchedEntity(known, told));
  for (const query of client.getQueryCache().findAll({ queryKey: ["attention"] }))
    if (isAt(query.queryKey, told))
      client.setQueryData<Page<Entity>>(query.queryKey, (known) => patchedAttention(known, told));
  if (before === undefined) return !countsMoved(told);
  const after = told.object?.status.state ?? null;
  const kind = told.ref.split("/")[0] ?? "";
  for (const query of client.getQueryCache().findAll({ queryKey: ["summary"] }))
    if (isAt(query.queryKey, told))
      client.setQueryData<Summary>(query.queryKey, (known) => movedSummary(known, kind, before, after));
  return true;
}

const PATCHED = ["attention", "entity", "inventory", "summary"];

/** Answers on their way may be older than what was just told, and would be put over it: they are asked for again. */
function inFlight(client: QueryClient): string[] {
  return PATCHED.filter((word) =>
    client
      .getQueryCache()
      .findAll({ queryKey: [word], fetchStatus: "fetching" })
      // Of a long list only its beginning: it is read in pages, and every burst would begin it anew.
      .some((query) => word !== "inventory" || query.state.data === undefined),
  );
}

/** The state an object was last shown in; undefined where it is not on screen. */
function stateBefore(client: QueryClient, ref: string): State | undefined {
  for (const [, data] of client.getQueriesData<InfiniteData<Page<Entity>>>({ queryKey: ["inventory"] })) {
    const found = data?.pages.flatMap((page) => page.items).find((item) => item.metadata.ref === ref);
    if (found) return found.status.state;
  }
  for (const [, data] of client.getQueriesData<Page<Entity>>({ queryKey: ["attention"] })) {
    const found = data?.items.find((item) => item.metadata.ref === ref);
    if (found) return found.status.state;
  }
  return undefined;
}

/** Whether what a list is about holds the object; one that is gone may have been anywhere. */
function isAt(key: readonly unknown[], told: Told): boolean {
  const metadata = told.object?.metadata;
  return !metadata || `${base(metadata)}/`.startsWith(`${String(key[1])}/`);
}

function together(client: QueryClient): (events: Told[], also: string[]) => void {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (events, also) => {
    for (const word of also) waiting.add(word);
    for (const told of events) for (const word of stale(told)) waiting.add(word);
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const word of waiting) void client.invalidateQueries({ queryKey: [word] });
      waiting.clear();
    }, TOGETHER_MS);
  };
}
