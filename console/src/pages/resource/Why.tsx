// Why it is as it is: the sentence, the chain that led there from top to bottom, what to do next, and the evidence.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { whyQuery } from "@/api/entity";
import { keepScope } from "@/scope/scope";
import { Copied } from "@/ui/Copied";
import { Problem } from "@/ui/Problem";
import { VerbBadge } from "@/ui/StateBadge";
import type { Shown } from "../Resource";
import { Acts } from "./Acts";

export function Why({ path }: Shown) {
  const { data, error } = useQuery(whyQuery(path));
  if (!data) return <Problem error={error} />;
  const { evidence } = data;
  const holding = evidence.guards.filter((guard) => guard.said);
  return (
    <div className="stack">
      <p className="why-sentence">{data.sentence}</p>
      <ol className="chain">
        {data.chain.map((link) => (
          <li key={link}>{link}</li>
        ))}
      </ol>
      {data.next.length > 0 && (
        <section>
          <h2>What to do next</h2>
          <div className="stack tight">
            {evidence.plan && (
              <Link
                className="button-link"
                to={"/plans/$id" as never}
                params={{ id: evidence.plan.id } as never}
                search={keepScope}
              >
                Review the plan
              </Link>
            )}
            {data.next.map((command) => (
              <Copied key={command} text={command} />
            ))}
          </div>
        </section>
      )}
      {evidence.plan && evidence.plan.groups.length > 0 && (
        <section aria-label="the plan by its causes">
          <h2>What is planned</h2>
          <ul className="plain stack tight">
            {evidence.plan.groups.map((group) => (
              <li key={group.key} className="row">
                <VerbBadge verb={group.verb} /> <span className="number">{group.count}</span> {group.cause}
                <span className="faint mono">
                  {group.named.join(", ")}
                  {group.count > group.named.length && ", …"}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Guards</h2>
        <p className="faint">
          {holding.length === 0
            ? `none of ${evidence.guards.length} holds anything back`
            : `${holding.length} of ${evidence.guards.length} hold something back`}
        </p>
        {holding.map((guard) => (
          <div key={guard.name} className="held">
            <strong>! {guard.name.replace(/_/g, " ")}</strong> {guard.said}
            <div className="faint">
              {guard.about} Released by: {guard.release}
            </div>
          </div>
        ))}
      </section>
      {evidence.acts.length > 0 && (
        <section>
          <h2>Last acts</h2>
          <Acts acts={evidence.acts} />
        </section>
      )}
    </div>
  );
}
