// Objects of all kinds in one list: paged, sorted and filtered by the server.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { base } from "./kinds";
import { get } from "./request";
import type { Entity, Page } from "./shapes";

export interface Asked {
  kind?: string;
  state?: string;
  text?: string;
  labels?: string;
  filter?: string;
  order?: string;
}

/** What an address of the inventory asks for. */
export const askedOf = ({ kind, state, text, filter, order }: Asked): Asked => ({
  kind,
  state,
  text,
  filter,
  order,
});

const PAGE = 100; // About 80 KB of objects as they usually are.

export function inventoryQuery(scope: Scope, asked: Asked) {
  return infiniteQueryOptions({
    queryKey: ["inventory", base(scope), asked],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      get<Page<Entity>>(
        `${base(scope)}/inventory`,
        {
          page_size: PAGE,
          page_token: pageParam,
          kind: asked.kind,
          state: asked.state,
          text: asked.text,
          labels: asked.labels,
          filter: asked.filter,
          order_by: asked.order,
        },
        signal,
      ),
    getNextPageParam: (page) => page.next_page_token || undefined,
    placeholderData: keepPreviousData,
    enabled: Boolean(scope.organization),
  });
}

export interface Summary {
  items: { kind: string; state: Entity["status"]["state"]; count: number }[];
}

export function summaryQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["summary", base(scope)],
    queryFn: () => get<Summary>(`${base(scope)}/inventory:summary`, { page_size: 500 }),
    enabled: Boolean(scope.organization),
  });
}

export function searchQuery(scope: Scope, text: string) {
  const organization = { organization: scope.organization };
  return queryOptions({
    queryKey: ["search", base(organization), text],
    queryFn: ({ signal }) =>
      get<Page<Entity>>(`${base(organization)}/inventory`, { page_size: 20, text }, signal),
    staleTime: 5_000,
  });
}

/** What is not READY, worst first. */
export function attentionQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["attention", base(scope)],
    queryFn: () => get<Page<Entity>>(`${base(scope)}/inventory:attention`, { page_size: 100 }),
    enabled: Boolean(scope.organization),
    select: (page) => page.items,
  });
}
