// One pass as it was: what went in, what was seen, what it planned, what the guards said; and once more, changed.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { passQuery, replayQuery, type WholePass } from "@/api/loops";
import { changesPath } from "@/api/plans";
import { Groups } from "@/pages/plan/Groups";
import { Line } from "@/pages/plan/Guards";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Problem } from "@/ui/Problem";
import { ModeBadge } from "@/ui/StateBadge";
import { Tabs } from "@/ui/Tabs";
import { span } from "@/words/time";
import { sentenceOf } from "./Blocks";
import { Replay } from "./Replay";
import "@/pages/plan/plan.css";

export function PassDetail({ id }: { id: string }) {
  const { organization = "" } = useScope();
  const pass = useQuery(passQuery(organization, id));
  const replay = useQuery(replayQuery(organization, id));
  if (pass.error) return <Problem error={pass.error} />;
  if (!pass.data) return <p className="faint">one moment …</p>;
  const found = pass.data;
  return (
    <section className="card loop-pass" aria-label="the chosen pass">
      <header className="row wrap">
        <h2>
          {found.name} <span className="faint">at</span> <Ago at={found.at} />
        </h2>
        <span className="grow">{sentenceOf(found)}</span>
        <PlanLink pass={found} />
      </header>
      <Tabs
        param="show"
        tabs={[
          { key: "replay", title: "Replay", show: () => <Replay pass={found} today={replay.data} /> },
          { key: "inputs", title: "Inputs", show: () => <Inputs pass={found} /> },
          {
            key: "plan",
            title: "Plan",
            count: Object.values(found.changes).reduce((sum, count) => sum + count, 0),
            show: () => <Planned pass={found} />,
          },
          {
            key: "guards",
            title: "Guards",
            count: found.holds.length,
            show: () => (
              <>
                <Problem error={replay.error} />
                {replay.data && !replay.data.same && (
                  <p className="tone-orange">
                    ! Today the guards would decide otherwise about the same inputs.
                  </p>
                )}
                <ul className="plain plan-checklist">
                  {[...(replay.data?.guards ?? [])]
                    .sort((one, other) => Number(other.held) - Number(one.held))
                    .map((guard) => (
                      <Line key={guard.name} guard={guard} />
                    ))}
                </ul>
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

function PlanLink({ pass }: { pass: WholePass }) {
  const { organization } = useScope();
  if (!pass.holds.length) return null;
  return (
    <Link to={"/inbox" as never} search={{ scope: organization } as never}>
      what waits for a person
    </Link>
  );
}

function Planned({ pass }: { pass: WholePass }) {
  const { organization = "" } = useScope();
  const path = changesPath.pass(organization, pass.id);
  return (
    <div className="stack">
      <p className="faint">{pass.case.plan.reason}</p>
      <Groups groups={pass.groups} path={path} choice={null} choose={() => {}} keys={false} />
    </div>
  );
}

function Inputs({ pass }: { pass: WholePass }) {
  const { case: known } = pass;
  return (
    <div className="loop-inputs">
      <dl className="facts">
        <dt>declared / there</dt>
        <dd className="number">
          {known.plan.desired} / {known.plan.actual}
        </dd>
        <dt>accepted before</dt>
        <dd className="number">{known.ledger.accepted}</dd>
        <dt>sizes of the last plans</dt>
        <dd className="number">{known.ledger.sizes.join(", ") || "none yet"}</dd>
        <dt>complete looks</dt>
        <dd className="number">{known.ledger.looks}</dd>
        <dt>last wave</dt>
        <dd className="number">{known.ledger.wave}</dd>
        <dt>looks every</dt>
        <dd className="number">{span(known.interval)}</dd>
        <dt>protected</dt>
        <dd>{known.protected?.length ? known.protected.join(", ") : "nothing by name"}</dd>
      </dl>
      <div>
        <h3>Levers</h3>
        <ul className="plain">
          {known.levers.map((lever) => (
            <li key={lever.source}>
              <ModeBadge mode={lever.mode} /> <span className="faint">{lever.source}</span>
            </li>
          ))}
        </ul>
        <h3>Budgets of deletes</h3>
        <ul className="plain">
          {(known.rooms ?? []).map((room) => (
            <li key={room.name} className="number">
              {room.name}: {room.left} of {room.limit} left
            </li>
          ))}
          {!known.rooms?.length && <li className="faint">nothing was to be destroyed</li>}
        </ul>
        <h3>Direct looks</h3>
        <ul className="plain">
          {(known.looks ?? []).slice(0, 20).map((look) => (
            <li key={look.item}>
              <span className="mono">{look.item}</span> <span className="faint">{look.found}</span>
            </li>
          ))}
          {!known.looks?.length && <li className="faint">none was needed</li>}
        </ul>
      </div>
      <div>
        <h3>Acts before it</h3>
        <ul className="plain">
          {known.recent.slice(-12).map((act) => (
            <li key={act.id}>
              {act.verb} <span className="mono">{act.item}</span> <span className="faint">{act.state}</span>{" "}
              {act.detail && <span className="tone-red">{act.detail}</span>}
            </li>
          ))}
          {known.recent.length === 0 && <li className="faint">none within the time that guards look back</li>}
        </ul>
      </div>
    </div>
  );
}
