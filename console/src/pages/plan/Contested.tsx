// What another writer keeps changing back, above the plans that wait: each with the command that releases it.
import { useQuery } from "@tanstack/react-query";
import { titled } from "@/api/kinds";
import { contestedQuery } from "@/api/plans";
import { holds } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Copied } from "@/ui/Copied";
import { EntityLink } from "@/ui/EntityLink";
import { Badge } from "@/ui/StateBadge";

export function useContested() {
  const scope = useScope();
  const query = useQuery(contestedQuery(scope.organization ?? ""));
  return (query.data?.items ?? []).filter((each) => holds(scope, each.metadata));
}

export function Contested() {
  const rows = useContested();
  if (rows.length === 0) return null;
  return (
    <section className="plan-contested" aria-label="contested">
      {rows.map((row) => (
        <div key={`${row.kind} ${row.metadata.name} ${row.item}`} className="plan-contested-row">
          <Badge symbol="!" tone="yellow" word="contested" />
          <span>
            {titled(row.kind)} <EntityLink entity={row} />: another writer keeps changing{" "}
            <strong>{row.fields.length > 0 ? `${row.fields.join(", ")} of ${row.item}` : row.item}</strong>{" "}
            back, <Ago at={row.since} />
          </span>
          <Copied text={row.release} />
        </div>
      ))}
    </section>
  );
}
