// Everything one chose on a page is in the address: reload it, or send it to a colleague, and it is the same page.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = Record<string, string | undefined>;

export function useParam(name: string, usual = ""): [string, (value: string) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (value: string) =>
      void navigate({
        to: ".",
        search: ((known: Search) => ({
          ...known,
          [name]: value && value !== usual ? value : undefined,
        })) as never,
        replace: true,
      }),
    [navigate, name, usual],
  );
  return [search[name] ?? usual, set];
}

/** Several at once: two calls of `useParam`'s setter in one event would each start from the old address. */
export function useParams(): [Search, (values: Search) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  return [
    search,
    (values) =>
      void navigate({
        to: ".",
        search: ((known: Search) => ({ ...known, ...values })) as never,
        replace: true,
      }),
  ];
}
