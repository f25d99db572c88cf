// What a change would do, asked while it is typed: mistakes at once, then the plan of the scheduler itself.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { preview } from "@/api/plans";
import { ifUnanswered, Refusal } from "@/api/request";
import type { Json, Mistake } from "@/api/shapes";
import { Problem } from "@/ui/Problem";
import { Actions } from "./PlanActions";

const QUIET_MS = 500;

export interface Trial {
  method: "PUT" | "DELETE";
  path: string;
  body?: Json;
  organization: string;
  /** Nothing to ask yet, and why. */
  wait?: string;
}

export function usePreview(trial: Trial) {
  const asked = useSettled(JSON.stringify(trial));
  const { method, path, body, organization, wait } = JSON.parse(asked) as Trial;
  const query = useQuery({
    queryKey: ["preview", asked],
    queryFn: () => preview(method, path, { body }, organization),
    enabled: !wait,
    retry: ifUnanswered,
    gcTime: 30_000,
    placeholderData: keepPreviousData,
  });
  const mistakes: Mistake[] | undefined =
    query.error instanceof Refusal ? query.error.problem.errors : undefined;
  return { query, mistakes, wait };
}

export function Preview({ found }: { found: ReturnType<typeof usePreview> }) {
  const { query, wait } = found;
  return (
    <section className="preview" aria-live="polite" aria-busy={query.isFetching}>
      <h2>What it would do {query.isFetching && <span className="faint">· asking …</span>}</h2>
      {wait ? (
        <p className="faint">{wait}</p>
      ) : query.isPaused ? (
        <p className="faint">No connection: it is asked when the server is back. What you typed is kept.</p>
      ) : query.error ? (
        <Problem error={query.error} />
      ) : query.data ? (
        <Actions plan={query.data} />
      ) : null}
    </section>
  );
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), QUIET_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
