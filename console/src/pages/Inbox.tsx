// Plans that wait for a person, worst first; the one that is chosen is beside them, ready to be decided.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { titled } from "@/api/kinds";
import { plansQuery, type ShortPlan } from "@/api/plans";
import { holds, keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { useParams } from "@/ui/address";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge, VerbBadge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { ORDER, risk } from "@/words/groups";
import { Contested, useContested } from "./plan/Contested";
import { Review } from "./plan/Review";
import { stateOf } from "./plan/states";

const SHOWS = [
  { state: "held", title: "waiting" },
  { state: "approved", title: "under way" },
  { state: "", title: "all" },
];

export default function Inbox() {
  const scope = useScope();
  const [search, set] = useParams();
  const navigate = useNavigate();
  const state = search.show === "all" ? "" : (search.show ?? "held");
  const query = useQuery(plansQuery(scope.organization ?? "", state));
  const contested = useContested().length > 0;
  const rows = useMemo(
    () => sorted((query.data?.items ?? []).filter((plan) => holds(scope, plan.metadata))),
    [query.data, scope],
  );
  const chosen = rows.find((row) => row.id === search.at) ?? rows[0];
  const open = (plan: ShortPlan) =>
    void navigate({ to: "/plans/$id" as never, params: { id: plan.id } as never, search: keepScope });
  return (
    <div className="page tall">
      <header>
        <h1>Inbox</h1>
        <span className="faint">{query.data && sentence(rows, state)}</span>
        <span className="grow" />
        {SHOWS.map((each) => (
          <button
            key={each.title}
            type="button"
            className="link"
            aria-pressed={each.state === state}
            onClick={() => set({ show: each.state === "held" ? "" : each.state || "all", at: "" })}
          >
            {each.title}
          </button>
        ))}
      </header>
      <QueryProblem query={query} />
      {state === "held" && <Contested />}
      {query.isSuccess && rows.length === 0 ? (
        contested && state === "held" ? null : (
          <Nothing state={state} />
        )
      ) : (
        <div className="plan-inbox-panes">
          <section aria-label="plans">
            <Table
              label="plans"
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => row.id}
              chosen={chosen?.id ?? ""}
              choose={(at) => set({ at })}
              open={open}
              height={86}
            />
          </section>
          <section className="plan-pane" aria-label="the chosen plan" tabIndex={0}>
            {chosen && <Review key={chosen.id} id={chosen.id} />}
          </section>
        </div>
      )}
    </div>
  );
}

const COLUMNS: Column<ShortPlan>[] = [
  {
    key: "plan",
    title: "Plan",
    width: "minmax(280px, 1fr)",
    cell: (plan) => <QueueRow plan={plan} />,
  },
];

function QueueRow({ plan }: { plan: ShortPlan }) {
  const { word, tone } = risk(plan.changes, plan.actual);
  const state = stateOf(plan);
  const over = plan.state === "rejected" || plan.state === "stale";
  const guard = plan.holds[0];
  return (
    <div className="plan-queue-row">
      <div className="row">
        <span className="faint">{plan.kind === "plan" ? "dry run" : titled(plan.kind)}</span>
        <strong className="grow cut">{plan.kind === "plan" ? plan.id : plan.name}</strong>
        <Ago at={plan.created_at} />
      </div>
      <div className="row">
        {plan.state === "held" ? (
          <Badge symbol={tone === "blue" ? "=" : "!"} tone={tone} word={word} />
        ) : (
          <Badge symbol={state.symbol} tone={state.tone} word={state.word} />
        )}
        {over && <span className="faint">was to</span>}
        {plan.state !== "done" &&
          Object.entries(plan.changes)
            .sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))
            .map(([verb, count]) => (
              <span key={verb} className="row">
                <VerbBadge verb={verb} />
                <span className="number">{count}</span>
              </span>
            ))}
        {plan.state === "held" && plan.weight > 1 && <span className="faint">weight {plan.weight}</span>}
      </div>
      <div className="faint cut" title={guard?.message}>
        {plan.author && <>by {plan.author} · </>}
        {guard ? guard.message : plan.note || "nothing holds it"}
      </div>
    </div>
  );
}

function Nothing({ state }: { state: string }) {
  if (state === "approved")
    return (
      <Empty
        title="Nothing is under way"
        command="setpoint operations --open"
        action={<Go to="/tasks">See long work</Go>}
      >
        Approved plans are here until they are done.
      </Empty>
    );
  if (state === "")
    return (
      <Empty
        title="No plan was ever held here"
        command="setpoint plan -f shop.yaml"
        action={<Go to="/loops">See what loops decided</Go>}
      >
        What guards doubt comes here; nothing was doubted yet.
      </Empty>
    );
  return (
    <Empty
      title="Nothing waits for a person"
      command="setpoint plan -f shop.yaml"
      action={<Go to="/now">See how everything stands</Go>}
    >
      A plan comes here when a guard doubts it: too many deletes at once, nothing declared any more, something
      far out of the usual. Everything else happens by itself.
    </Empty>
  );
}

function sorted(plans: ShortPlan[]): ShortPlan[] {
  const worst = (plan: ShortPlan) => (plan.state === "held" ? plan.weight : -1);
  return [...plans].sort(
    (one, other) => worst(other) - worst(one) || one.created_at.localeCompare(other.created_at),
  );
}

function sentence(plans: ShortPlan[], state: string): string {
  if (state !== "held") return `${plans.length} shown`;
  const weight = plans.reduce((sum, plan) => sum + plan.weight, 0);
  if (plans.length === 0) return "nothing waits";
  return `${plans.length} ${plans.length === 1 ? "plan waits" : "plans wait"}, ${weight} would be destroyed`;
}
