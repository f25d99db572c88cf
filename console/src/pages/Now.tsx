// How things stand: one sentence, what needs a person, what is in motion, the last hour. Nothing else.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { activityQuery, advanced, type Hour, withEvent } from "@/api/activity";
import { attentionQuery, summaryQuery } from "@/api/inventory";
import { type Task, tasksQuery } from "@/api/tasks";
import { useEvents } from "@/live/live";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { Empty } from "@/ui/Empty";
import { QueryProblem } from "@/ui/QueryProblem";
import { needs, sentence, standingOf } from "@/words/now";
import { STATES } from "@/words/state";
import { InMotion } from "./now/InMotion";
import { LastHour } from "./now/LastHour";
import { NeedsYou } from "./now/NeedsYou";

const OPEN = ["queued", "running", "waiting", "undoing"];

export default function Now() {
  const scope = useScope();
  const summary = useQuery(summaryQuery(scope));
  const unwell = useQuery(attentionQuery(scope));
  const tasks = useQuery(tasksQuery(scope.organization ?? ""));
  const hour = useHour();
  const standing = standingOf(summary.data);
  const items = unwell.data ?? [];
  const cards = useMemo(() => needs(items), [items]);
  const open = (tasks.data ?? []).filter((task: Task) => OPEN.includes(task.state));
  const moving = items.filter((each) => each.status.state === "PENDING");
  const calm = cards.length === 0 && moving.length === 0 && open.length === 0;
  return (
    <div className="page now">
      <QueryProblem query={summary.error ? summary : unwell} />
      {summary.isSuccess && standing.total === 0 ? (
        <Empty
          title="Nothing is declared here yet"
          action={
            <Link
              className="button-link"
              to={"/declare/$kind" as never}
              params={{ kind: "project" } as never}
              search={{ scope: textOf(scope) } as never}
            >
              Declare a project
            </Link>
          }
          command="setpoint apply -f shop.yaml"
        >
          Say what should be, in a file or with a form; it is made so, kept so, and every difference is told
          here.
        </Empty>
      ) : (
        <>
          <Sentence />
          {calm && summary.isSuccess && unwell.isSuccess && <Calm hour={hour} />}
          <NeedsYou cards={cards} />
          <InMotion objects={moving} tasks={open} total={standing.by.PENDING} />
          <LastHour hour={hour} />
        </>
      )}
    </div>
  );
}

function Sentence() {
  const scope = useScope();
  const now = useNow();
  const { data, isPending } = useQuery(summaryQuery(scope));
  const standing = standingOf(data);
  const unwell = useQuery(attentionQuery(scope)).data ?? [];
  // Without an answer nothing is known: no zero is shown.
  if (!data) return <h1 className="sentence faint">{isPending ? "Loading …" : "Not known"}</h1>;
  return (
    <h1 className="sentence">
      {sentence(standing, unwell, now).map((clause, at) => (
        <span key={clause.state}>
          {at > 0 && "; "}
          <Link
            to={"/inventory" as never}
            search={{ scope: textOf(scope), state: clause.state } as never}
            className={
              clause.state && clause.state !== "READY" ? `tone-${STATES[clause.state].tone}` : undefined
            }
          >
            {clause.text}
          </Link>
        </span>
      ))}
    </h1>
  );
}

function Calm({ hour }: { hour: Hour | undefined }) {
  const last = hour?.latest[0];
  return (
    <p className="calm">
      <strong className="tone-green">= All is as declared.</strong>{" "}
      {last && (
        <span className="faint">
          Last: {last.name} {last.message} · <Ago at={last.at} />
        </span>
      )}
    </p>
  );
}

/** Read once, then kept up by the stream and the clock: no request for a minute that passes. */
function useHour(): Hour | undefined {
  const scope = useScope();
  const client = useQueryClient();
  const query = activityQuery(scope);
  const { data } = useQuery(query);
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  useEvents((told) => {
    client.setQueryData<Hour>(query.queryKey, (known) => known && withEvent(known, told));
  });
  return useMemo(() => data && advanced(data, minute), [data, minute]);
}
