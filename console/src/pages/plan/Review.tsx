// One plan from every side: what it would do, by cause; what holds it; who depends on it; and the answer.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { titled } from "@/api/kinds";
import {
  type Review as Beside,
  changesPath,
  type GroupedPlan,
  type Outcomes,
  planQuery,
  reviewQuery,
} from "@/api/plans";
import type { Entity } from "@/api/shapes";
import { useEvents } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { EntityLink } from "@/ui/EntityLink";
import { Problem } from "@/ui/Problem";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge, VerbBadge } from "@/ui/StateBadge";
import type { Choice } from "@/words/choice";
import { risk, worstFirst } from "@/words/groups";
import { madeOf } from "@/words/outcome";
import { span } from "@/words/time";
import { Decide } from "./Decide";
import { Groups } from "./Groups";
import { Guards } from "./Guards";
import { Progress } from "./Progress";
import { stateOf } from "./states";
import { WhatChanged } from "./WhatChanged";
import "./plan.css";

export function Review({ id, page = false }: { id: string; page?: boolean }) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const plan = useQuery(planQuery(organization, id));
  const beside = useQuery(reviewQuery(organization, id));
  const ref = plan.data?.ref;
  // Sooner than the burst that others wait for: a button that is stale must not be pressed.
  useEvents((told) => {
    // While it is not read yet, what is told may be about it.
    const about = (ref === undefined || told.ref === ref) && /^(plan|act|approval)\./.test(told.type);
    if (about) void client.invalidateQueries({ queryKey: ["plan", organization, id] });
  });
  if (!plan.data) return <QueryProblem query={plan} loading />;
  return <Reviewed key={plan.data.id} plan={plan.data} beside={beside} page={page} />;
}

function Reviewed({
  plan,
  beside,
  page,
}: {
  plan: GroupedPlan;
  beside: { data?: Beside; error: unknown };
  page: boolean;
}) {
  const { organization = "" } = useScope();
  const [choice, setChoice] = useState<Choice>({});
  const decidable = plan.state === "held";
  // What became of it is known from beside it: before that it is not told in any tense.
  const known = beside.data !== undefined || decidable || plan.state === "shown" || plan.state === "asked";
  return (
    <article className="plan-review" data-state={plan.state}>
      <Head plan={plan} page={page} outcomes={known ? (beside.data?.outcomes ?? {}) : undefined} />
      <Problem error={beside.error} />
      {beside.data?.newer && plan.state !== "done" && <WhatChanged plan={plan} newer={beside.data.newer} />}
      <div className="plan-review-body">
        <div className="plan-review-main">
          {beside.data?.decided_at && <Progress beside={beside.data} />}
          {known ? (
            <Groups
              groups={plan.groups}
              path={changesPath.plan(organization, plan.id)}
              choice={decidable ? choice : null}
              choose={setChoice}
              keys={page}
              outcomes={beside.data?.outcomes}
              next={beside.data?.left_out.plan}
            />
          ) : (
            <p className="faint">Loading …</p>
          )}
        </div>
        <aside className="plan-review-side">
          {beside.data && (
            <Guards
              guards={beside.data.guards}
              holds={plan.holds}
              pass={beside.data.pass}
              decided={!decidable}
            />
          )}
          {beside.data && <UsedBy beside={beside.data} decidable={decidable} />}
        </aside>
      </div>
      {plan.state !== "shown" && plan.state !== "asked" && (
        <Decide plan={plan} beside={beside.data} choice={choice} />
      )}
    </article>
  );
}

function Head({
  plan,
  page,
  outcomes,
}: {
  plan: GroupedPlan;
  page: boolean;
  outcomes: Outcomes | undefined;
}) {
  const made = madeOf(plan.groups, outcomes ?? {});
  const changes = made ?? plan.changes;
  const over = plan.state === "rejected" || plan.state === "stale";
  const { word, tone } =
    over && made && Object.keys(made).length === 0
      ? risk(plan.changes, plan.actual, "was to")
      : risk(changes, plan.actual, made ? "did" : "would");
  const state = stateOf(plan);
  const entity = { kind: plan.kind, metadata: { ...plan.metadata, name: plan.name } };
  const Title = page ? "h1" : "h2";
  return (
    <header className="plan-review-head">
      <div className="row wrap">
        <Title>
          {plan.kind === "plan" ? (
            "Dry run"
          ) : (
            <>
              {titled(plan.kind)} <EntityLink entity={entity as Pick<Entity, "kind" | "metadata">} />
            </>
          )}
        </Title>
        <Badge symbol={state.symbol} tone={state.tone} word={state.word} />
        {outcomes && <Badge symbol={tone === "blue" ? "=" : "!"} tone={tone} word={word} />}
        {outcomes &&
          !over &&
          worstFirst(changes).map(([verb, count]) => (
            <span key={verb} className="row">
              <VerbBadge verb={verb} /> <span className="number">{count}</span>
            </span>
          ))}
      </div>
      <dl className="facts plan-across">
        <div>
          <dt>asked by</dt>
          <dd>{plan.author || "nobody: the world moved"}</dd>
        </div>
        <div>
          <dt>since</dt>
          <dd>
            <Ago at={plan.created_at} />
          </dd>
        </div>
        <div>
          <dt>revision</dt>
          <dd className="number">{plan.generation}</dd>
        </div>
        <div>
          <dt>declared / there</dt>
          <dd className="number">
            {plan.desired} / {plan.actual}
          </dd>
        </div>
        {plan.weight > 0 && !made && (
          <div>
            <dt>weight it would destroy</dt>
            <dd className="number">{plan.weight}</dd>
          </div>
        )}
        <div>
          <dt>digest</dt>
          <dd className="mono" title={plan.digest}>
            {plan.digest.slice(0, 12)}
          </dd>
        </div>
        <div>
          <dt>can be decided</dt>
          <dd>{plan.state === "held" ? "until it changes" : "no longer"}</dd>
        </div>
      </dl>
    </header>
  );
}

function UsedBy({ beside, decidable }: { beside: Beside; decidable: boolean }) {
  return (
    <section className="card">
      <h2>Depends on it</h2>
      {beside.used_by.length === 0 && <p className="faint">nothing declared refers to it</p>}
      <ul className="plain">
        {beside.used_by.map((each) => (
          <li key={each.kind + each.metadata.name + (each.metadata.workspace ?? "")}>
            <span className="faint">{titled(each.kind)}</span>{" "}
            <EntityLink entity={each as Pick<Entity, "kind" | "metadata">} />
          </li>
        ))}
      </ul>
      {decidable && <p className="faint">An approval is valid for {span(beside.yes_holds_seconds)}.</p>}
    </section>
  );
}
