// Whether one may, asked of the same function that decides; the reason is what a disabled control says.
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { useCannotWrite } from "./connection";
import { at, get, ifUnanswered } from "./request";
import type { Kind } from "./shapes";

export interface Me {
  name: string;
  roles: { role: string; scope: string }[];
  /** Only of a person. */
  second_factor?: boolean;
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => get<Me>(at("/v1/me")),
  staleTime: 60_000,
  retry: ifUnanswered,
});

const PREFIXES = {
  installation: "",
  organization: "organization.",
  project: "project.",
  workspace: "project.workspace.",
};

/** `project.workspace.host`: a kind's key is its place and its name. */
export const keyOf = (kind: Kind) => `${PREFIXES[kind.level]}${kind.name}`;

/** Empty where one may; otherwise that there is no connection, or which permission is missing, and who to ask. */
export function useWhyNot(verb: string, key: string, place: Scope, name = ""): string {
  const cut = useCannotWrite();
  // Whatever else the place is, as the metadata of an object: where it is decides.
  const { organization, project, workspace } = place;
  const scope = { organization, project, workspace };
  const { data } = useQuery({
    queryKey: ["can-i", verb, key, scope, name],
    queryFn: () =>
      get<{ allowed: boolean; reason: string }>(at("/v1/me:can-i"), { verb, key, ...scope, name }),
    staleTime: 60_000,
    enabled: Boolean(key),
  });
  if (cut) return cut;
  if (!data || data.allowed) return "";
  return `you lack the permission "${verb} ${key}": ${data.reason}`;
}
