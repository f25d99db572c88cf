// What waits for a person, worst first; objects that are unwell for the same reason are one card.
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { titled } from "@/api/kinds";
import type { Entity } from "@/api/shapes";
import { keepScope } from "@/scope/scope";
import { Ago } from "@/ui/Ago";
import { EntityLink } from "@/ui/EntityLink";
import { useKeys } from "@/ui/keys";
import { StateBadge } from "@/ui/StateBadge";
import { linkTo } from "@/words/link";
import type { Need } from "@/words/now";
import { STATES } from "@/words/state";

export function NeedsYou({ cards }: { cards: Need[] }) {
  const navigate = useNavigate();
  const [at, setAt] = useState(-1);
  const go = (by: number) => setAt((known) => Math.min(Math.max(known + by, 0), cards.length - 1));
  const open = (tab?: string) => {
    const first = cards[at]?.first;
    if (!first) return;
    const search = ((known: { scope?: string }) => ({ scope: known.scope, tab })) as never;
    void navigate({ ...(linkTo(first) as object), search } as never);
  };
  useKeys("needs you", [
    { keys: "j", says: "next card", do: () => go(1) },
    { keys: "k", says: "card before", do: () => go(-1) },
    { keys: "Enter", says: "open what the card is about", do: () => open() },
    { keys: "w", says: "why is it so", do: () => open("why") },
  ]);
  if (cards.length === 0) return null;
  return (
    <section aria-label="needs you">
      <h2>Needs you</h2>
      <div className="cards">
        {cards.map((card, index) => (
          <Card key={card.key} card={card} chosen={index === at} />
        ))}
      </div>
    </section>
  );
}

function Card({ card, chosen }: { card: Need; chosen: boolean }) {
  const { first, others } = card;
  const { state, reason, since, plan } = first.status;
  return (
    <article className={`card need tone-${STATES[state].tone}`} data-chosen={chosen || undefined}>
      <div className="row wrap">
        <StateBadge state={state} />
        <span className="what">
          {titled(first.kind)} <EntityLink entity={first} />
          {others.length > 0 && <Others first={first} others={others} />}
        </span>
        <span className="grow" />
        <span className="faint">
          <Ago at={since} />
        </span>
      </div>
      <p className="why">{reason}</p>
      <div className="row wrap">
        {plan && (
          <Link
            className="button-link"
            to={"/plans/$id" as never}
            params={{ id: plan } as never}
            search={keepScope}
          >
            Review the plan
          </Link>
        )}
        <WhyLink entity={first} />
      </div>
    </article>
  );
}

/** Of the same kind: as unwell as the first. Of other kinds: they only wait for it. */
function Others({ first, others }: { first: Entity; others: Entity[] }) {
  const alike = others.filter((each) => each.kind === first.kind).length;
  const search = ((known: { scope?: string }) => ({
    scope: known.scope,
    state: first.status.state,
    kind: alike === others.length ? first.kind : undefined,
  })) as never;
  const words = [
    alike > 0 ? `${alike} more` : "",
    others.length > alike ? `${others.length - alike} that depend on it` : "",
  ];
  return (
    <>
      {" and "}
      <Link to={"/inventory" as never} search={search}>
        {words.filter(Boolean).join(", ")}
      </Link>
    </>
  );
}

function WhyLink({ entity }: { entity: Entity }) {
  const { to, params } = linkTo(entity);
  const search = ((known: { scope?: string }) => ({ scope: known.scope, tab: "why" })) as never;
  return (
    <Link to={to as never} params={params as never} search={search}>
      Why?
    </Link>
  );
}
