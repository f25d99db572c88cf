// People of an organization, roles, and the questions about who may do what.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Rule } from "@/words/rules";
import { base } from "./kinds";
import { at, get } from "./request";
import type { Entity, Page } from "./shapes";

const MOST = 200;

export interface Given {
  role: string;
  project: string;
  workspace: string;
  until: string;
}

export interface Member {
  name: string;
  ref: string;
  email: string;
  roles: Given[];
  state: "invited" | "accepted" | "disabled";
  accepted_at: string | null;
}

export interface Role {
  name: string;
  about: string;
  rules: Rule[];
  /** One that every installation has, and nobody changes. */
  seeded: boolean;
}

export interface Permissions {
  verbs: string[];
  items: { key: string; about: string }[];
}

export interface Asked {
  verb: string;
  key: string;
  scope: string;
  object?: string;
}

/** What somebody would gain and lose. */
export interface Move {
  name: string;
  gains: Asked[];
  loses: Asked[];
}

const MEMBERS = 50;

/** By name, a page at a time. */
export const membersQuery = (organization: string) =>
  infiniteQueryOptions({
    queryKey: ["members", organization],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      get<Page<Member>>(
        at("/v1/organizations/{organization}/members", { organization }),
        { page_size: MEMBERS, page_token: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.next_page_token || undefined,
    enabled: Boolean(organization),
  });

export const memberQuery = (organization: string, name: string) =>
  queryOptions({
    queryKey: ["members", organization, name],
    queryFn: ({ signal }) =>
      get<Member>(at("/v1/organizations/{organization}/members/{name}", { organization, name }), {}, signal),
    enabled: Boolean(organization && name),
  });

export const rolesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["roles", organization],
    queryFn: async (): Promise<Role[]> => {
      const [seeded, own] = await Promise.all([
        get<Page<Omit<Role, "seeded">>>(at("/v1/roles:seeded"), { page_size: MOST }),
        every<Entity>(`${base({ organization })}/roles`),
      ]);
      return [
        ...seeded.items.map((role) => ({ ...role, seeded: true })),
        ...own.map(({ metadata, spec }) => ({
          name: metadata.name,
          about: String(spec.about ?? ""),
          rules: (spec.rules ?? []) as unknown as Rule[],
          seeded: false,
        })),
      ];
    },
    enabled: Boolean(organization),
  });

/** All of a list that is short nearly always, page by page so that no answer is large. */
async function every<T>(path: string): Promise<T[]> {
  const found: T[] = [];
  let token = "";
  do {
    const page = await get<Page<T>>(path, { page_size: MEMBERS, page_token: token });
    found.push(...page.items);
    token = page.next_page_token;
  } while (token);
  return found;
}

export const permissionsQuery = queryOptions({
  queryKey: ["permissions"],
  queryFn: () => get<Permissions>(at("/v1/permissions"), { page_size: MOST }),
  staleTime: Number.POSITIVE_INFINITY,
});
