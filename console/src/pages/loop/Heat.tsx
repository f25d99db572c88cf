// The last day as a map: a row for each kind, a cell for each hour; stronger is more, and the sign says the worst of it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { titled } from "@/api/kinds";
import { type HeatRow, heatQuery } from "@/api/loops";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { useUtc } from "@/ui/preferences";
import { QueryProblem } from "@/ui/QueryProblem";
import { cellsOf, type HeatCell, hourOf, most } from "@/words/heat";

export function Heat() {
  const query = useQuery(heatQuery(useScope()));
  const [utc] = useUtc();
  const { data } = query;
  if (!data) return <QueryProblem query={query} />;
  if (data.items.length === 0)
    return (
      <Empty
        title="Nothing was done in the last 24 hours"
        command="setpoint loops"
        action={<Go to="/loops">Show loops as they are now</Go>}
      >
        All loops found what they look after as declared.
      </Empty>
    );
  const top = most(data.items);
  const hours = data.hours.map((hour) => hourOf(hour, utc));
  return (
    <section className="stack" aria-label="the last 24 hours">
      <div className="table-scrolls card flush" ref={toItsEnd}>
        <table className="loop-heat">
          <thead>
            <tr>
              <th scope="col">loop</th>
              {hours.map((hour, at) => (
                <th scope="col" key={data.hours[at]} className="number">
                  {hour}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.items.map((row) => (
              <Line key={row.kind} row={row} hours={hours} top={top} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="faint">
        Each cell is an hour: <span className="tone-red">✗</span> something failed,{" "}
        <span className="tone-orange">!</span> something was held, else how many acts there were; stronger is
        more.
        {data.since !== data.hours[0] && " Of the hours before, there was too much to be counted here."}
      </p>
    </section>
  );
}

/** Where it does not fit, what was last is seen first. */
function toItsEnd(map: HTMLDivElement | null): void {
  if (map) map.scrollLeft = map.scrollWidth;
}

function Line({ row, hours, top }: { row: HeatRow; hours: string[]; top: number }) {
  return (
    <tr>
      <th scope="row">
        <Link to={"/loops/$kind" as never} params={{ kind: row.kind } as never} search={keepScope}>
          {titled(row.kind)}
        </Link>
      </th>
      {cellsOf(row, top).map((cell, at) => (
        <Cell key={hours[at]} cell={cell} hour={hours[at] ?? ""} />
      ))}
    </tr>
  );
}

function Cell({ cell, hour }: { cell: HeatCell; hour: string }) {
  return (
    <td title={`${hour}:00 to ${hour}:59: ${cell.words}`}>
      <span className={`loop-heat-cell tone-${cell.tone}`} data-step={cell.step}>
        <span aria-hidden>{cell.sign}</span>
        <span className="hidden">{cell.words}</span>
      </span>
    </td>
  );
}
