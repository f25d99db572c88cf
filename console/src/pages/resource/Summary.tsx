// Wanted and seen side by side, field by field, with who set each; then what was found out.
import { useQuery } from "@tanstack/react-query";
import { historyQuery, whyQuery } from "@/api/entity";
import { resolved, titled } from "@/api/kinds";
import type { Entity, Json } from "@/api/shapes";
import { Ago } from "@/ui/Ago";
import { Badge } from "@/ui/StateBadge";
import { said } from "@/words/difference";
import { type Owned, ownedFields, seenOf } from "@/words/ownership";
import type { Shown } from "../Resource";
import { Actions as PlanActions } from "./PlanActions";
import { Picture } from "./pictures";

export function Summary({ kind, entity, path }: Shown) {
  const history = useQuery(historyQuery(path));
  const why = useQuery(whyQuery(path));
  const schema = resolved(kind.schema, kind.schema);
  const fields = ownedFields(entity.spec, history.data ?? [], schema);
  const plan = why.data?.evidence.plan;
  return (
    <div className="stack">
      <Picture kind={kind} entity={entity} path={path} />
      <div className="table-scrolls card flush">
        <table className="diff">
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">wanted</th>
              <th scope="col">seen</th>
              <th scope="col">set by</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <Field
                key={field.name}
                field={field}
                entity={entity}
                about={schema.properties?.[field.name]?.description}
              />
            ))}
          </tbody>
        </table>
      </div>
      {plan && plan.actions.length > 0 && (
        <section>
          <h2>What differs, and what would be done</h2>
          <PlanActions plan={plan} />
        </section>
      )}
      <Facts title="Found out" values={entity.status.facts} />
      {entity.status.conditions.length > 0 && (
        <section>
          <h2>Conditions</h2>
          <dl className="facts">
            {entity.status.conditions.map((each) => (
              <div key={each.type} style={{ display: "contents" }}>
                <dt>{each.type}</dt>
                <dd>
                  <Badge
                    tone={each.status === "True" ? "green" : each.status === "False" ? "red" : "gray"}
                    word={each.status}
                  />{" "}
                  {each.since && (
                    <span className="faint">
                      for <Ago at={each.since} bare />
                    </span>
                  )}{" "}
                  {each.message}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <Declared entity={entity} />
    </div>
  );
}

function Field({ field, entity, about }: { field: Owned; entity: Entity; about?: string }) {
  const seen = seenOf(field, entity);
  return (
    <tr>
      <td className="mono" title={about}>
        {field.name}
      </td>
      <td className="mono">{said(field.value)}</td>
      <td className={seen.differs ? "mono before" : "mono faint"}>{seen.text}</td>
      <td className="faint">
        {field.by} {field.at && <Ago at={field.at} />}
        {field.generation > 0 && `, generation ${field.generation}`}
      </td>
    </tr>
  );
}

function Facts({ title, values }: { title: string; values: Record<string, Json> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <dl className="facts">
        {entries.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{titled(name)}</dt>
            <dd className="mono">
              {name.endsWith("_at") && typeof value === "number" ? <Ago at={value} /> : said(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Declared({ entity: { metadata } }: { entity: Entity }) {
  return (
    <section>
      <h2>Declared</h2>
      <dl className="facts">
        <dt>ref</dt>
        <dd className="mono">{metadata.ref}</dd>
        <dt>generation</dt>
        <dd>
          {metadata.generation}, by {metadata.changed_by} <Ago at={metadata.changed_at} />
        </dd>
        <dt>owner</dt>
        <dd>{metadata.owner || "nobody in particular"}</dd>
        <dt>labels</dt>
        <dd className="mono">
          {Object.entries(metadata.labels)
            .map(([key, value]) => `${key}=${value}`)
            .join(", ") || "none"}
        </dd>
      </dl>
    </section>
  );
}
