// Where an object has its page: `/inventory/host/acme/shop/prod/web-1`.
import type { Entity } from "@/api/shapes";

export type Named = {
  kind: string;
  metadata: Pick<Entity["metadata"], "name" | "organization" | "project" | "workspace">;
};

export function placeOf({ metadata }: Named): string {
  return [metadata.organization, metadata.project, metadata.workspace, metadata.name]
    .filter(Boolean)
    .join("/");
}

export function linkTo(entity: Named): {
  to: "/inventory/$kind/$";
  params: { kind: string; _splat: string };
} {
  return { to: "/inventory/$kind/$", params: { kind: entity.kind, _splat: placeOf(entity) } };
}
