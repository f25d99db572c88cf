// What is declared in one place, by name alone: for whoever chooses among it.
import { queryOptions } from "@tanstack/react-query";
import { at, get } from "./request";
import type { Entity, Page } from "./shapes";

/** So many names are read; where there are more, some are missing. */
export const MOST = 200;
export const ORGANIZATIONS = at("/v1/organizations" as never);

export function namesQuery(path: string) {
  return queryOptions({
    queryKey: ["names", path],
    queryFn: () => get<Page<Entity>>(path, { page_size: MOST, order_by: "name", fields: "metadata.name" }),
    enabled: Boolean(path),
    select: (page) => page.items.map((item) => item.metadata.name),
  });
}
