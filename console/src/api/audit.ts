// The evidence of who did what: lines of the audit chain, newest first, narrowed by the server.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Past } from "./entity";
import { base, entityPath } from "./kinds";
import { at, get } from "./request";
import type { Entity, Json, Kind, Page } from "./shapes";

export interface Line {
  organization: string;
  actor: string;
  action: string;
  ref: string;
  at: string;
  detail: Record<string, Json>;
  revision: number;
  previous: string;
  hash: string;
}

export interface Verdict {
  intact: boolean;
  lines: number;
  broken_at: number | null;
}

export interface Narrowed {
  actor?: string;
  action?: string;
  about?: string;
}

const AUDIT = "/v1/organizations/{organization}/audit";
const PAGE = 100;

export const auditQuery = (organization: string, narrowed: Narrowed) =>
  infiniteQueryOptions({
    queryKey: ["audit", organization, narrowed],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => page(organization, narrowed, pageParam, signal),
    getNextPageParam: (found) => found.next_page_token || undefined,
    placeholderData: keepPreviousData,
    enabled: Boolean(organization),
  });

const page = (organization: string, narrowed: Narrowed, token: string, signal?: AbortSignal) =>
  get<Page<Line>>(
    at(AUDIT, { organization }),
    { page_size: PAGE, page_token: token, order_by: "revision desc", ...narrowed },
    signal,
  );

/** Every line, for a file; asked page by page so that no answer is large. */
export async function everyLine(organization: string, narrowed: Narrowed): Promise<Line[]> {
  const found: Line[] = [];
  let token = "";
  do {
    const next = await page(organization, narrowed, token);
    found.push(...next.items);
    token = next.next_page_token;
  } while (token);
  return found;
}

export const verdictQuery = (organization: string) =>
  queryOptions({
    queryKey: ["verdict", organization],
    queryFn: () => get<Verdict>(at(`${AUDIT}:verify`, { organization })),
    enabled: Boolean(organization),
    staleTime: 60_000,
  });

/** The object that a line is about, if it is still there. */
export const subjectQuery = (organization: string, line: Line) => {
  const [kind = ""] = line.ref.split("/");
  const name = String(line.detail.name ?? "");
  return queryOptions({
    queryKey: ["audited", line.ref],
    queryFn: async () => {
      const found = await get<Page<Entity>>(`${base({ organization })}/inventory`, {
        kind,
        text: name,
        page_size: 50,
      });
      return found.items.find((each) => each.metadata.ref === line.ref) ?? null;
    },
    enabled: Boolean(name) && line.action.startsWith("intent."),
    staleTime: 60_000,
  });
};

export const pastQuery = (kind: Kind | undefined, entity: Entity | null | undefined) =>
  queryOptions({
    queryKey: ["history", entity?.metadata.ref],
    queryFn: () =>
      get<Page<Past>>(`${entityPath(kind as Kind, (entity as Entity).metadata)}/history`, {
        page_size: 200,
      }).then((found) => found.items),
    enabled: Boolean(kind && entity),
  });
