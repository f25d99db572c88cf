// One step around it: what it is part of and uses above, what it has and what uses it below.
import { useQuery } from "@tanstack/react-query";
import { type Relation, relatedQuery } from "@/api/entity";
import { titled } from "@/api/kinds";
import { Empty } from "@/ui/Empty";
import { EntityLink } from "@/ui/EntityLink";
import { Go } from "@/ui/Go";
import { Problem } from "@/ui/Problem";
import { StateBadge } from "@/ui/StateBadge";
import type { Shown } from "../Resource";

const ORDER: Relation["relation"][] = ["part of", "uses", "has", "used by"];

export function Related({ entity }: Shown) {
  const organization = entity.metadata.organization ?? entity.metadata.name;
  const { data = [], error, isSuccess } = useQuery(relatedQuery(organization, entity.metadata.ref));
  if (error) return <Problem error={error} />;
  return (
    <div className="stack">
      {ORDER.map((relation) => {
        const found = data.filter((each) => each.relation === relation);
        if (found.length === 0) return null;
        return (
          <section key={relation}>
            <h2>
              {relation} <span className="faint">{found.length}</span>
            </h2>
            <ul className="related">
              {found.map(({ object }) => (
                <li key={object.metadata.ref}>
                  <StateBadge state={object.status.state} />
                  <span className="faint">{titled(object.kind)}</span>
                  <EntityLink entity={object} />
                  <span className="faint cut">{object.status.reason}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {isSuccess && data.length === 0 && (
        <Empty
          title="It uses nothing, and nothing uses it"
          command={`setpoint describe ${entity.kind} ${entity.metadata.name}`}
          action={<Go to="/inventory">See everything that is declared</Go>}
        />
      )}
    </div>
  );
}
