// Sessions and tokens: what opens something in one's name, or in a program's.
import { queryOptions } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { at, get, ifUnanswered } from "./request";
import type { Page } from "./shapes";

export interface Session {
  id: string;
  device: string;
  address: string;
  created_at: string;
  seen_at: string;
  expires_at: string;
  current: boolean;
}

export interface Token {
  id: string;
  sort: "personal" | "service" | "workspace";
  name: string;
  role: string;
  scope: string;
  about: string;
  addresses: string[];
  created_at: string;
  created_by: string;
  expires_at: string | null;
  seen_at: string | null;
}

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => get<Page<Session>>(at("/v1/me/sessions"), { page_size: 100 }),
  select: (page) => page.items,
});

/** Whose tokens: one's own, an organization's, or a workspace's. */
export type Whose = "mine" | "organization" | "workspace";

const KEYS = "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/keys";

export function tokensPath(whose: Whose, { organization = "", project = "", workspace = "" }: Scope): string {
  if (whose === "mine") return at("/v1/me/tokens");
  if (whose === "workspace") return at(KEYS, { organization, project, workspace });
  return at("/v1/organizations/{organization}/tokens", { organization });
}

export const tokensQuery = (whose: Whose, scope: Scope) =>
  queryOptions({
    queryKey: ["tokens", whose, scope],
    queryFn: () => get<Page<Token>>(tokensPath(whose, scope), { page_size: 200 }),
    select: (page) => page.items,
    retry: ifUnanswered,
  });
