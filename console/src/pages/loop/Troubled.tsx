// What this loop does not get done: tried now and then only, fought over with another writer, or braked.
import { useQueries } from "@tanstack/react-query";
import { passesQuery } from "@/api/loops";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { useParam } from "@/ui/address";

const SORTS = [
  {
    guard: "slow_lane",
    title: "Slow lane",
    says: "Nothing keeps failing in the same way.",
  },
  { guard: "contested", title: "Contested", says: "Nobody else undoes what we write." },
  { guard: "failure_brake", title: "Braked", says: "Acts succeed; nothing is slowed down." },
];

export function Troubled({ kind }: { kind: string }) {
  const { organization = "" } = useScope();
  const [, choose] = useParam("pass");
  const found = useQueries({
    queries: SORTS.map(({ guard }) => passesQuery(organization, kind, 10, { guard })),
  });
  return (
    <div className="troubled">
      {SORTS.map((sort, at) => {
        const passes = newestOf(found[at]?.data ?? []);
        return (
          <section className="card" key={sort.guard}>
            <h2>
              {sort.title} <span className="faint number">{passes.length}</span>
            </h2>
            {passes.length === 0 ? (
              <p className="faint">{sort.says}</p>
            ) : (
              <ul className="plain">
                {passes.map((pass) => (
                  <li key={pass.id}>
                    <button type="button" className="link" onClick={() => choose(pass.id)}>
                      {pass.name}
                    </button>{" "}
                    <span className="faint">
                      <Ago at={pass.at} />
                    </span>
                    <div className="faint">
                      {pass.holds.find((hold) => hold.guard === sort.guard)?.message}
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}

/** One for each object: its last word. */
function newestOf<T extends { ref: string }>(passes: T[]): T[] {
  return passes.filter((pass, at) => passes.findIndex((other) => other.ref === pass.ref) === at);
}
