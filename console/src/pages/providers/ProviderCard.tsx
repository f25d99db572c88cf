// One account: its mode, what the last listings found, its credential, and what breaks without it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { dependantsQuery } from "@/api/providers";
import type { Entity, Json, Mode } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { EntityLink } from "@/ui/EntityLink";
import { Observed } from "@/ui/Observed";
import { Badge, ModeBadge, StateBadge } from "@/ui/StateBadge";
import { MODES } from "@/words/state";
import { Calls } from "./Calls";
import { Credential } from "./Credential";
import { ModeForm } from "./ModeForm";

export function ProviderCard({ provider }: { provider: Entity }) {
  const { organization = "" } = useScope();
  const { metadata, spec, status } = provider;
  const [changing, setChanging] = useState(false);
  const whyNot = useWhyNot("update", "organization.provider", { organization }, metadata.name);
  const mode = String(spec.mode ?? "observe") as Mode;
  return (
    <section className="card providers-card" aria-label={`provider ${metadata.name}`}>
      <div className="row wrap">
        <h2>
          <EntityLink entity={provider} />
        </h2>
        <span className="faint grow">{String(spec.family ?? "").replace(/_/g, " ")}</span>
        <StateBadge state={status.state} />
      </div>
      <p className={status.state === "READY" ? "plain" : "plain tone-red"}>{status.reason}</p>
      <dl className="facts">
        <dt>mode</dt>
        <dd className="row wrap">
          <ModeBadge mode={mode} /> <span className="faint">{MODES[mode]?.says}</span>
          <Button
            whyNot={whyNot}
            label={`change the mode of ${metadata.name}`}
            onClick={() => setChanging(true)}
          >
            Change
          </Button>
        </dd>
        <dt>rights</dt>
        <dd>
          <Rights provider={provider} mode={mode} />
        </dd>
        <dt>listing</dt>
        <dd>
          <Listing provider={provider} />
        </dd>
        <dt>calls</dt>
        <dd>
          <Calls facts={status.facts.calls} />
        </dd>
        <dt>at</dt>
        <dd className="mono">{String(spec.endpoint ?? "")}</dd>
        <dt>credential</dt>
        <dd>
          <Credential provider={provider} />
        </dd>
        <dt>without it</dt>
        <dd>
          <Dependants name={metadata.name} />
        </dd>
      </dl>
      {changing && <ModeForm provider={provider} mode={mode} close={() => setChanging(false)} />}
    </section>
  );
}

/** What was proven by using it: reading by complete listings, writing only by having written. */
function Rights({ provider, mode }: { provider: Entity; mode: Mode }) {
  const { status } = provider;
  const listed = status.facts.servers !== undefined;
  // What was read once is no proof for now.
  const failed = status.state !== "READY" || Boolean(status.stale);
  const ours = Number(status.facts.marked ?? 0) > 0;
  return (
    <span className="row wrap">
      <Badge
        symbol={listed ? (failed ? "✗" : "✓") : "?"}
        tone={listed ? (failed ? "red" : "green") : "gray"}
        word={listed ? (failed ? "cannot read now" : "reads everything") : "reading not proven"}
      />
      <Badge
        symbol={ours ? "✓" : "?"}
        tone={ours ? "green" : "gray"}
        word={
          ours
            ? "writes: something there is ours"
            : mode === "observe"
              ? "writing not tried"
              : "writing not proven"
        }
      />
      {status.conditions
        .filter((each) => each.status === "False")
        .map((each) => (
          <Badge key={each.type} symbol="✗" tone="red" word={each.message || each.reason} />
        ))}
    </span>
  );
}

function Listing({ provider }: { provider: Entity }) {
  const { status } = provider;
  const { facts } = status;
  return (
    <>
      {number(facts.servers)} servers, {number(facts.marked)} of them ours; {number(facts.zones)} zones
      <span className="faint">
        <Observed status={status} />
      </span>
    </>
  );
}

const number = (value: Json | undefined) => (value === undefined ? "?" : String(value));

function Dependants({ name }: { name: string }) {
  const { organization = "" } = useScope();
  const { data } = useQuery(dependantsQuery(organization, name));
  if (!data) return <span className="faint">asking …</span>;
  if (data.items.length === 0) return <>nothing breaks: nothing names it</>;
  return (
    <details>
      <summary>
        {data.items.length}
        {data.next_page_token ? "+" : ""} objects could not be looked at or changed any more
      </summary>
      <ul className="plain-list">
        {data.items.map((each) => (
          <li key={each.metadata.ref}>
            <span className="faint">{each.kind.replace(/_/g, " ")}</span> <EntityLink entity={each} />
          </li>
        ))}
      </ul>
    </details>
  );
}
