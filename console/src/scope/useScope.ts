import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Scope, scopeOf } from "./scope";

/** Where one looks, from the address. */
export function useScope(): Scope {
  const search = useSearch({ strict: false }) as { scope?: string };
  return useMemo(() => scopeOf(search.scope), [search.scope]);
}
