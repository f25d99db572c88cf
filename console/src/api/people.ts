// People of an organization, roles, and the questions about who may do what.
import { queryOptions } from "@tanstack/react-query";
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

export const membersQuery = (organization: string) =>
  queryOptions({
    queryKey: ["members", organization],
    queryFn: () =>
      get<Page<Member>>(at("/v1/organizations/{organization}/members", { organization }), {
        page_size: MOST,
      }),
    enabled: Boolean(organization),
    select: (page) => page.items,
  });

export const rolesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["roles", organization],
    queryFn: async (): Promise<Role[]> => {
      const [seeded, own] = await Promise.all([
        get<Page<Omit<Role, "seeded">>>(at("/v1/roles:seeded"), { page_size: MOST }),
        get<Page<Entity>>(`${base({ organization })}/roles`, { page_size: MOST }),
      ]);
      return [
        ...seeded.items.map((role) => ({ ...role, seeded: true })),
        ...own.items.map(({ metadata, spec }) => ({
          name: metadata.name,
          about: String(spec.about ?? ""),
          rules: (spec.rules ?? []) as unknown as Rule[],
          seeded: false,
        })),
      ];
    },
    enabled: Boolean(organization),
  });

export const permissionsQuery = queryOptions({
  queryKey: ["permissions"],
  queryFn: () => get<Permissions>(at("/v1/permissions"), { page_size: MOST }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Names of projects, or of a project's workspaces, for a choice. */
export const namesQuery = (path: string) =>
  queryOptions({
    queryKey: ["names", path],
    queryFn: () =>
      get<Page<Entity>>(path, { page_size: MOST, order_by: "name", fields: "metadata.name" }).then((page) =>
        page.items.map((item) => item.metadata.name),
      ),
  });
