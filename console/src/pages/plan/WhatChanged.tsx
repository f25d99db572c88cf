// The plan grew or shrank while one looked: its button is stale, and this is what changed since.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Plan, planQuery } from "@/api/plans";
import { useScope } from "@/scope/useScope";
import { keepScope } from "@/ui/Palette";
import { VerbBadge } from "@/ui/StateBadge";
import { since } from "@/words/groups";

export function WhatChanged({ plan, newer }: { plan: Plan; newer: string }) {
  const { organization = "" } = useScope();
  const [open, setOpen] = useState(false);
  const other = useQuery({ ...planQuery(organization, newer), enabled: open });
  const found = other.data ? since(plan.actions, other.data.actions) : null;
  return (
    <div className="card stale" role="status">
      <div className="row wrap">
        <span className="grow">
          <strong>! A newer plan took its place.</strong> What you see here can no longer be approved.
        </span>
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          what changed since
        </button>
        <Link to={"/plans/$id" as never} params={{ id: newer } as never} search={keepScope}>
          go to the newer plan
        </Link>
      </div>
      {found && (
        <ul className="plain">
          {found.added.map((each) => (
            <li key={each.item} className="row">
              <span className="faint">new</span> <VerbBadge verb={each.verb} />
              <span className="mono">{each.item}</span>
            </li>
          ))}
          {found.other.map((each) => (
            <li key={each.item} className="row">
              <span className="faint">otherwise</span> <VerbBadge verb={each.verb} />
              <span className="mono">{each.item}</span>
            </li>
          ))}
          {found.gone.map((each) => (
            <li key={each.item} className="row">
              <span className="faint">no longer</span> <VerbBadge verb={each.verb} />
              <span className="mono">{each.item}</span>
            </li>
          ))}
          {found.added.length + found.other.length + found.gone.length === 0 && (
            <li className="faint">the changes are the same; what holds them is not</li>
          )}
        </ul>
      )}
    </div>
  );
}
