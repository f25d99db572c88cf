// What would be done to several objects, asked before anything is.
import { queryOptions } from "@tanstack/react-query";
import type { Action } from "@/words/bulk";
import { sliced } from "@/words/selection";
import { at, get } from "./request";
import type { Page } from "./shapes";

export interface Allowed {
  ref: string;
  kind: string;
  name: string;
  allowed: boolean;
  why: string;
}

const AT_ONCE = 100;

export function allowedQuery(organization: string, action: Action, refs: string[]) {
  return queryOptions({
    queryKey: ["allowed", organization, action, refs],
    queryFn: async ({ signal }) => {
      const path = at("/v1/organizations/{organization}/inventory:allowed", { organization });
      const pages = await Promise.all(
        sliced(refs, AT_ONCE).map((some) =>
          get<Page<Allowed>>(path, { action, refs: some.join(","), page_size: AT_ONCE }, signal),
        ),
      );
      return pages.flatMap((page) => page.items);
    },
    enabled: Boolean(organization && refs.length),
    staleTime: 0,
    gcTime: 0,
  });
}
