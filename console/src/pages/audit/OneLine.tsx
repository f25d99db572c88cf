// One line of evidence: who, why, before and after, the plan it came from, and its place in the chain.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type Line, pastQuery, subjectQuery } from "@/api/audit";
import { useKind } from "@/api/kinds";
import type { Json } from "@/api/shapes";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Diff } from "@/ui/Diff";
import { EntityLink } from "@/ui/EntityLink";
import { said } from "@/words/difference";
import { planOf, reasonOf, restOf } from "./words";

export function OneLine({ line, close }: { line: Line; close: () => void }) {
  const plan = planOf(line);
  return (
    <aside className="card audit-one-line" aria-label={`line ${line.revision}`}>
      <div className="row">
        <h2 className="grow">{line.action}</h2>
        <Button look="quiet" label="close the line" icon={<X size={14} aria-hidden />} onClick={close}>
          <span className="hidden">close</span>
        </Button>
      </div>
      <dl className="facts">
        <dt>who</dt>
        <dd>{line.actor}</dd>
        <dt>when</dt>
        <dd>
          <Ago at={line.at} />
        </dd>
        <dt>to</dt>
        <dd>
          <Subject line={line} />
        </dd>
        <dt>why</dt>
        <dd>{reasonOf(line) || <span className="faint">no reason was given</span>}</dd>
        {plan && (
          <>
            <dt>plan</dt>
            <dd>
              <Link to={"/plans/$id" as never} params={{ id: plan } as never} search={keepScope}>
                {plan}
              </Link>
            </dd>
          </>
        )}
        {restOf(line).map(([key, value]) => (
          <Fact key={key} name={key} value={value} />
        ))}
      </dl>
      <Change line={line} />
      <h3>In the chain</h3>
      <dl className="facts mono">
        <dt>line</dt>
        <dd>{line.revision}</dd>
        <dt>before it</dt>
        <dd>{line.previous || "nothing: it is the first"}</dd>
        <dt>hash</dt>
        <dd>{line.hash}</dd>
      </dl>
    </aside>
  );
}

function Fact({ name, value }: { name: string; value: Json }) {
  return (
    <>
      <dt>{name.replace(/_/g, " ")}</dt>
      <dd className="mono">{said(value)}</dd>
    </>
  );
}

function Subject({ line }: { line: Line }) {
  const { organization = "" } = useScope();
  const { data } = useQuery(subjectQuery(organization, line));
  const [kind] = line.ref.split("/");
  if (data)
    return (
      <>
        <span className="faint">{kind}</span> <EntityLink entity={data} />
      </>
    );
  return (
    <>
      {kind} {String(line.detail.name ?? "")} <span className="faint mono">{line.ref}</span>
    </>
  );
}

/** Field by field, from what the object was declared as before and with this line. */
function Change({ line }: { line: Line }) {
  const { organization = "" } = useScope();
  const { data: entity, isSuccess } = useQuery(subjectQuery(organization, line));
  const kind = useKind(line.ref.split("/")[0] ?? "");
  const { data: past } = useQuery(pastQuery(kind, entity));
  const generation = Number(line.detail.generation ?? 0);
  if (!line.action.startsWith("intent.") || !generation) return null;
  if (isSuccess && !entity)
    return <p className="faint">The object is gone; what it was declared as went with it.</p>;
  const after = past?.find((each) => each.generation === generation);
  const before = past?.find((each) => each.generation === generation - 1);
  if (!past) return null;
  if (!after) return <p className="faint">This generation is older than the history that is kept.</p>;
  return (
    <>
      <h3>Before and after</h3>
      <Diff
        before={before && { spec: before.spec, labels: before.labels, protected: before.protected }}
        after={{ spec: after.spec, labels: after.labels, protected: after.protected }}
      />
    </>
  );
}
