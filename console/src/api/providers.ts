// Accounts at vendors, the secrets they sign with, and everything that lives through them.
import { queryOptions } from "@tanstack/react-query";
import { base } from "./kinds";
import { at, get, ifUnanswered } from "./request";
import type { Entity, Page } from "./shapes";

export interface Version {
  version: number;
  created_at: string;
  created_by: string;
}

export interface Secret extends Version {
  name: string;
  previous: Version | null;
  /** What names it, and the version that last worked for each. */
  used_by: { kind: string; name: string; scope: string; version: number | null }[];
}

export const secretsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["secrets", organization],
    queryFn: () =>
      get<Page<Secret>>(at("/v1/organizations/{organization}/secrets", { organization }), { page_size: 200 }),
    enabled: Boolean(organization),
    select: (page) => page.items,
    retry: ifUnanswered,
  });

const SHOWN = 50;

/** What names the provider: it would be left without an account. */
export const dependantsQuery = (organization: string, provider: string) =>
  queryOptions({
    queryKey: ["dependants", organization, provider],
    queryFn: () =>
      get<Page<Entity>>(`${base({ organization })}/inventory`, {
        filter: `spec.provider == ${JSON.stringify(provider)}`,
        page_size: SHOWN,
        fields:
          "kind,metadata.name,metadata.organization,metadata.project,metadata.workspace,metadata.ref,status.state",
      }),
    staleTime: 10_000,
  });
