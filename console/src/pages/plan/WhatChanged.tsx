// The plan grew or shrank while one looked: its button is stale, and this is what changed since.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { otherwiseQuery } from "@/api/plans";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { VerbBadge } from "@/ui/StateBadge";

export function WhatChanged({ plan, newer }: { plan: { id: string }; newer: string }) {
  const { organization = "" } = useScope();
  const [open, setOpen] = useState(false);
  const { data: found } = useQuery({ ...otherwiseQuery(organization, newer, plan.id), enabled: open });
  return (
    <div className="card plan-stale" role="status">
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
      {open && found && (
        <ul className="plain">
          {found.items.map((each) => (
            <li key={each.item} className="row">
              <span className="faint">{each.how}</span> <VerbBadge verb={each.verb} />
              <span className="mono">{each.item}</span>
            </li>
          ))}
          {found.next_page_token && <li className="faint">and more; they are on the newer plan</li>}
          {found.items.length === 0 && (
            <li className="faint">the changes are the same; what holds them is not</li>
          )}
        </ul>
      )}
    </div>
  );
}
