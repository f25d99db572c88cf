// The levers above what one looks at; the strictest decides.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Scope, textOf } from "@/scope/scope";
import { strictest } from "@/words/state";
import { at, get } from "./request";
import type { Mode, Page, Switch } from "./shapes";

export const switchesQuery = queryOptions({
  queryKey: ["switches"],
  queryFn: () => get<Page<Switch>>(at("/v1/switches"), { page_size: 200 }),
  select: (page) => page.items,
});

export function useSwitches(): Switch[] {
  return useQuery(switchesQuery).data ?? [];
}

/** Those that hold everything in this scope. */
export function above(switches: Switch[], scope: Scope): Switch[] {
  const here = textOf(scope);
  return switches.filter(({ key }) => {
    const place = key.startsWith("scope:") ? key.slice("scope:".length) : "";
    return key === "all" || (place !== "" && (here === place || here.startsWith(`${place}/`)));
  });
}

export function modeOf(switches: Switch[], scope: Scope): Mode {
  return strictest(above(switches, scope).map((each) => each.mode));
}
