// Kinds as the server describes them: where their objects are, what their columns and fields are called.
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "@/scope/scope";
import { at, get } from "./request";
import type { Entity, Json, Kind, Page, Schema } from "./shapes";

export const kindsQuery = queryOptions({
  queryKey: ["kinds"],
  queryFn: () => get<Page<Kind>>(at("/v1/kinds"), { page_size: 200 }),
  staleTime: Number.POSITIVE_INFINITY,
  select: (page) => page.items,
});

export function useKinds(): Kind[] {
  return useQuery(kindsQuery).data ?? [];
}

export function useKind(name: string): Kind | undefined {
  return useKinds().find((kind) => kind.name === name);
}

const LEVELS = ["organization", "project", "workspace"] as const;

/** The address of a scope, or of the part of it that a level can have. */
export function base(scope: Scope, level: Kind["level"] = "workspace"): string {
  const deep = level === "installation" ? 0 : LEVELS.indexOf(level) + 1;
  return LEVELS.slice(0, deep).reduce(
    (path, part) => (scope[part] ? `${path}/${part}s/${encodeURIComponent(scope[part] ?? "")}` : path),
    "/v1",
  );
}

export function collectionPath(kind: Kind, scope: Scope): string {
  return `${base(scope, kind.level)}/${kind.plural}`;
}

export function entityPath(kind: Kind, place: Scope & { name: string }): string {
  return `${collectionPath(kind, place)}/${encodeURIComponent(place.name)}`;
}

/** `spec.size` or `status.facts.address` of an object, as a column names it. */
export function valueAt(entity: Entity, path: string): Json | undefined {
  return path
    .split(".")
    .reduce<unknown>(
      (value, part) => (value as Record<string, unknown> | null | undefined)?.[part],
      entity,
    ) as Json | undefined;
}

/** A schema with its reference followed. */
export function resolved(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace("#/$defs/", "");
  const found = name ? root.$defs?.[name] : undefined;
  return found ? resolved(found, root) : schema;
}

/** Reading a kind's title for people: `dns_record` is "DNS record". */
export function titled(name: string): string {
  return name.replace(/_/g, " ").replace(/\bdns\b/, "DNS");
}
