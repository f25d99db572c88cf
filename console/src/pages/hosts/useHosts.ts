// Hosts, each with its agent and the moments it was heard while the page is open.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { inventoryQuery } from "@/api/inventory";
import { base } from "@/api/kinds";
import { get } from "@/api/request";
import type { Entity, Page } from "@/api/shapes";
import { useEvents } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { CELL_MS, CELLS, type Pulse } from "@/words/beats";
import { millisecondsOf } from "@/words/time";

export interface HostRow {
  host: Entity;
  agent?: Entity;
  pulse: Pulse;
  heardAt?: string;
  version: string;
}

const TOGETHER_MS = 300;
const LISTEN_MS = CELL_MS / 2; // Half a cell: no cell is missed because a question came late.

export function useHosts() {
  const scope = useScope();
  const hosts = useInfiniteQuery(inventoryQuery(scope, { kind: "host" }));
  const agents = useInfiniteQuery(inventoryQuery(scope, { kind: "agent" }));
  const heard = useHeard();
  const opened = useRef(Date.now());
  const rows = useMemo(() => {
    const own = new Map(
      (agents.data?.pages ?? []).flatMap((page) => page.items).map((agent) => [placeOf(agent), agent]),
    );
    return (hosts.data?.pages ?? [])
      .flatMap((page) => page.items)
      .map((host) => rowOf(host, own.get(placeOf(host)), heard, opened.current));
  }, [hosts.data, agents.data, heard]);
  useNewcomers(new Set(rows.flatMap(({ host, agent }) => [host.metadata.ref, agent?.metadata.ref ?? ""])));
  return { rows, hosts, agents };
}

/** Events patch what is on the page; a host or an agent that was not there is asked for. */
function useNewcomers(known: Set<string>): void {
  const client = useQueryClient();
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEvents(({ ref, object }) => {
    if (!object || known.has(ref) || !/^(host|agent)\//.test(ref)) return;
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      void client.invalidateQueries({ queryKey: ["inventory"] });
    }, TOGETHER_MS);
  });
}

const placeOf = ({ metadata }: Entity) => `${metadata.project}/${metadata.workspace}/${metadata.name}`;

function rowOf(
  host: Entity,
  agent: Entity | undefined,
  heard: Map<string, string[]>,
  opened: number,
): HostRow {
  const alive = agent?.status.conditions.find((each) => each.type === "AgentAlive");
  const told = heard.get(agent?.metadata.ref ?? "") ?? [];
  return {
    host,
    agent,
    heardAt: told.at(-1),
    version: String(agent?.status.facts.version ?? ""),
    pulse: {
      heard: told.map(millisecondsOf),
      opened,
      alive: alive && alive.status === "True",
      since: alive?.since ? millisecondsOf(alive.since) : undefined,
    },
  };
}

/**
 * A heartbeat is a sign of life, not an event: ten thousand agents would fill the log with nothing new. So they are asked
 * for, and only while the page is seen: a tab in the background does not ask.
 */
function useHeard(): Map<string, string[]> {
  const scope = useScope();
  const known = useRef(new Map<string, string[]>());
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["heard", scope],
    queryFn: () =>
      get<Page<{ ref: string; heard_at: string }>>(
        `${base({ organization: scope.organization })}/agents:heard`,
        { page_size: 500, project: scope.project, workspace: scope.workspace },
      ),
    refetchInterval: LISTEN_MS,
    refetchIntervalInBackground: false,
    enabled: Boolean(scope.organization),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every answer counts, also one that says the same
  return useMemo(() => {
    const next = new Map(known.current);
    const oldest = Date.now() - (CELLS + 1) * CELL_MS;
    for (const { ref, heard_at } of data?.items ?? []) {
      const before = (next.get(ref) ?? []).filter((each) => millisecondsOf(each) > oldest);
      if (before.at(-1) !== heard_at) next.set(ref, [...before, heard_at]);
    }
    known.current = next;
    return next;
  }, [data, dataUpdatedAt]);
}

/** Keeps what is not on the page yet coming: both lists belong together. */
export function useAll(queries: ReturnType<typeof useHosts>): void {
  const { hosts, agents } = queries;
  useEffect(() => {
    if (agents.hasNextPage && !agents.isFetching && agents.data && hosts.data)
      if (agents.data.pages.length < hosts.data.pages.length) void agents.fetchNextPage();
  }, [agents, hosts]);
}
