// What this loop does not get done: tried now and then only, fought over with another writer, or braked.
import { Link } from "@tanstack/react-router";
import type { LoopRow, Trouble } from "@/api/loops";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";

const SORTS: { sort: Trouble["sort"]; title: string; says: string }[] = [
  { sort: "slow", title: "Slow lane", says: "Nothing keeps failing in the same way." },
  { sort: "contested", title: "Contested", says: "No other writer undoes what is written." },
  { sort: "braked", title: "Braked", says: "Acts succeed; nothing is slowed down." },
];

/** The counts and the lists have one source: the row of the loop. */
export function Troubled({ loop }: { loop: LoopRow }) {
  return (
    <div className="loop-troubled">
      {SORTS.map(({ sort, title, says }) => {
        const found = (loop.troubles ?? []).filter((each) => each.sort === sort);
        return (
          <section className="card" key={sort} aria-label={title}>
            <h2>
              {title} <span className="faint number">{loop[sort]}</span>
            </h2>
            {loop[sort] === 0 ? <p className="faint">{says}</p> : <List found={found} kind={loop.kind} />}
            {found.length > 0 && loop[sort] > found.length && (
              <p className="faint">and {loop[sort] - found.length} more</p>
            )}
          </section>
        );
      })}
    </div>
  );
}

function List({ found, kind }: { found: Trouble[]; kind: string }) {
  const scope = useScope();
  return (
    <ul className="plain">
      {found.map((each) => (
        <li key={each.ref + each.item}>
          <Link to={"/inventory" as never} search={{ scope: textOf(scope), kind, text: each.name } as never}>
            {each.name}
          </Link>{" "}
          {each.item && <span className="mono">{each.item}</span>}
          <div className="faint">{each.says}</div>
        </li>
      ))}
    </ul>
  );
}
