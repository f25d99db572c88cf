// A zone: each record as it is wanted and as it was seen at the provider, and whose it is.
import { useQuery } from "@tanstack/react-query";
import { relatedQuery, whyQuery } from "@/api/entity";
import { Ago } from "@/ui/Ago";
import { Empty } from "@/ui/Empty";
import { EntityLink } from "@/ui/EntityLink";
import { Go } from "@/ui/Go";
import { Problem } from "@/ui/Problem";
import { StateBadge, VerbBadge } from "@/ui/StateBadge";
import { recordsOf, type ZoneRecord } from "@/words/zone";
import type { Shown } from "../../Resource";

export default function Zone({ entity, path }: Shown) {
  const related = useQuery(relatedQuery(entity.metadata.organization ?? "", entity.metadata.ref));
  const why = useQuery(whyQuery(path));
  const records = (related.data ?? []).filter((each) => each.relation === "has").map((each) => each.object);
  const plan = why.data?.evidence.plan;
  const rows = recordsOf(records, plan?.actions ?? [], !plan?.rest);
  const total = Number(entity.status.facts.records ?? rows.length);
  return (
    <section aria-label="records">
      <h2>
        Records <span className="faint number">{total}</span>
      </h2>
      <Problem error={related.error} />
      {related.isSuccess && rows.length === 0 ? (
        <Empty
          title="No record is declared"
          command="setpoint explain dns_record"
          action={<Go to="/declare/dns_record">Declare a record</Go>}
        >
          The zone has only what its provider puts there.
        </Empty>
      ) : (
        <div className="table-scrolls card flush pictures-box">
          <table className="diff">
            <thead>
              <tr>
                <th scope="col">name</th>
                <th scope="col">type</th>
                <th scope="col">wanted</th>
                <th scope="col">at the provider</th>
                <th scope="col">state</th>
                <th scope="col">owner</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Line key={row.item} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {related.isSuccess && total > rows.length && (
        <p className="faint">
          {rows.length} of {total} are shown here; the inventory has all of them.
        </p>
      )}
    </section>
  );
}

function Line({ row }: { row: ZoneRecord }) {
  return (
    <tr>
      <td className="mono">{row.record ? <EntityLink entity={row.record} /> : row.name}</td>
      <td className="mono">{row.type}</td>
      <td className="mono">
        {row.wanted || <span className="faint">{row.record ? "no longer declared" : "not declared"}</span>}
      </td>
      {row.seen ? (
        <td className="mono before">{row.seen}</td>
      ) : (
        <td className="faint">
          {row.since ? "= " : ""}
          {row.says}
          {row.since && (
            <>
              {" "}
              since <Ago at={row.since} />
            </>
          )}
        </td>
      )}
      <td>
        <span className="row">
          {row.record && <StateBadge state={row.record.status.state} />}
          {row.verb && <VerbBadge verb={row.verb} />}
        </span>
      </td>
      <td className="faint">{row.record?.metadata.owner || "nobody"}</td>
    </tr>
  );
}
