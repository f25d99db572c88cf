// One object: what is wanted and seen, why, what happened, what it was, what it has to do with, and as text.
import { useQuery } from "@tanstack/react-query";
import { useParams as useRouteParams } from "@tanstack/react-router";
import { entityQuery, historyQuery, type Place, placeIn } from "@/api/entity";
import { entityPath, titled, useKind, useKinds } from "@/api/kinds";
import type { Entity, Kind } from "@/api/shapes";
import { Ago } from "@/ui/Ago";
import { useParam } from "@/ui/address";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { useKeys } from "@/ui/keys";
import { Observed } from "@/ui/Observed";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge, StateBadge } from "@/ui/StateBadge";
import { Tabs } from "@/ui/Tabs";
import { Actions } from "./resource/Actions";
import { Changes } from "./resource/Changes";
import { Edit } from "./resource/Edit";
import { History } from "./resource/History";
import { Raw } from "./resource/Raw";
import { Related } from "./resource/Related";
import { Summary } from "./resource/Summary";
import { Why } from "./resource/Why";

export default function Resource() {
  const params = useRouteParams({ strict: false }) as { kind: string; _splat: string };
  const kind = useKind(params.kind);
  const known = useKinds().length > 0;
  if (!kind)
    return known ? (
      <Empty
        title={`There is no kind called ${params.kind}`}
        command="setpoint kinds"
        action={<Go to="/inventory">See what there is</Go>}
      />
    ) : (
      <div className="page faint">one moment …</div>
    );
  return <Loaded key={params._splat} kind={kind} place={placeIn(kind, params._splat)} />;
}

export interface Shown {
  kind: Kind;
  entity: Entity;
  path: string;
}

function Loaded({ kind, place }: { kind: Kind; place: Place }) {
  const query = useQuery(entityQuery(kind, place));
  if (!query.data)
    return (
      <div className="page">
        <QueryProblem query={query} loading />
      </div>
    );
  return <Page kind={kind} entity={query.data} path={entityPath(kind, place)} />;
}

function Page(shown: Shown) {
  const { kind, entity, path } = shown;
  const declared = useQuery(historyQuery(path)).data?.length;
  const [, go] = useParam("tab", "summary");
  useKeys("object", [
    { keys: "d", says: "wanted and seen", do: () => go("summary") },
    { keys: "w", says: "why is it so", do: () => go("why") },
    { keys: "y", says: "as YAML", do: () => go("raw") },
  ]);
  return (
    <div className="page resource">
      <Title kind={kind} entity={entity} />
      <div className="resource-body">
        <Tabs
          tabs={[
            { key: "summary", title: "Summary", show: () => <Summary {...shown} /> },
            { key: "why", title: "Why", show: () => <Why {...shown} /> },
            { key: "history", title: "History", show: () => <History {...shown} /> },
            {
              key: "changes",
              title: "Changes",
              count: declared,
              show: () => <Changes {...shown} />,
            },
            { key: "related", title: "Related", show: () => <Related {...shown} /> },
            ...(kind.by_machine ? [] : [{ key: "edit", title: "Edit", show: () => <Edit {...shown} /> }]),
            { key: "raw", title: "Raw", show: () => <Raw {...shown} /> },
          ]}
        />
        <Actions {...shown} />
      </div>
    </div>
  );
}

function Title({ kind, entity }: { kind: Kind; entity: Entity }) {
  const { metadata, status } = entity;
  return (
    <header>
      <div className="grow">
        <div className="row wrap">
          <span className="faint">{titled(kind.name)}</span>
          <h1>{metadata.name}</h1>
          <StateBadge state={status.state} />
          {metadata.protected && <Badge tone="blue" symbol="=" word="protected" />}
          {metadata.deleting && <Badge tone="red" symbol="-" word="leaving" />}
        </div>
        <p className="title-reason">
          {status.reason || "not observed yet"}{" "}
          <span className="faint">
            {status.since && (
              <>
                · for <Ago at={status.since} bare />
              </>
            )}
            <Observed status={status} />
          </span>
        </p>
      </div>
    </header>
  );
}
