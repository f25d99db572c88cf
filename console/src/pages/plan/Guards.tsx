// Every guard as a line of a checklist: what it used of what is allowed, where that number comes from, and how it lets go.
import { useState } from "react";
import type { Hold, Measured } from "@/api/plans";
import { Badge } from "@/ui/StateBadge";
import { said } from "@/words/difference";

export function Guards({
  guards,
  holds,
  pass,
  decided,
}: {
  guards: Measured[];
  holds: Hold[];
  pass: string;
  decided: boolean;
}) {
  const [all, setAll] = useState(false);
  const held = guards.filter((guard) => guard.held);
  const overruled = held.find((guard) => guard.overruled_by)?.overruled_by;
  const measured = guards.filter((guard) => !guard.held && guard.used !== undefined);
  const others = guards.filter((guard) => !guard.held && guard.used === undefined);
  if (guards.length === 0)
    return (
      <section className="card">
        <h2>Guards</h2>
        <ul className="plain plan-checklist">
          {holds.map((hold) => (
            <li key={hold.guard} data-held>
              <span aria-hidden>!</span>
              <div>
                <strong>{titledGuard(hold.guard)}</strong>
                <div>{hold.message}</div>
              </div>
            </li>
          ))}
        </ul>
        <p className="faint">
          {pass ? "" : "The pass that it was judged in is no longer on record, so numbers are missing."}
        </p>
      </section>
    );
  return (
    <section className="card">
      <h2>
        Guards{" "}
        <span className="faint">
          {held.length} of {guards.length} {decided ? "held it" : "hold it"}
          {overruled && `, overruled by ${overruled}`}
        </span>
      </h2>
      <ul className="plain plan-checklist">
        {[...held, ...measured].map((guard) => (
          <Line key={guard.name} guard={guard} />
        ))}
        {all && others.map((guard) => <Line key={guard.name} guard={guard} />)}
      </ul>
      {others.length > 0 && (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fold" : `and ${others.length} more that let it pass`}
        </button>
      )}
    </section>
  );
}

export function Line({ guard, note = "" }: { guard: Measured; note?: string }) {
  const numbers = guard.used !== undefined;
  return (
    <li
      data-held={(guard.held && !guard.overruled_by) || undefined}
      data-overruled={guard.overruled_by || undefined}
    >
      <span aria-hidden>{guard.overruled_by ? "↷" : guard.held ? "!" : "✓"}</span>
      <div className="grow">
        <div className="row wrap">
          <strong title={guard.about}>{titledGuard(guard.name)}</strong>
          {!guard.overruled_by && <span className="hidden">{guard.held ? "holds it" : "lets it pass"}</span>}
          {guard.overruled_by && (
            <Badge symbol="↷" tone="orange" word={`overruled by ${guard.overruled_by}`} />
          )}
          {note && <span className="badge tone-red">! {note}</span>}
          {numbers && (
            <span className="number faint">
              {guard.used} {guard.of}, {guard.least ? "needed" : "allowed"} {guard.allowed}
            </span>
          )}
        </div>
        {numbers && <Meter guard={guard} />}
        {guard.held ? <div>{guard.message}</div> : !numbers && <div className="faint">{guard.about}</div>}
        {guard.held && !guard.overruled_by && !guard.approvable && (
          <div className="faint">lets go: {guard.release}</div>
        )}
        {guard.held && guard.limits.length > 0 && (
          <details className="faint">
            <summary>
              {guard.limits.length === 1 ? "its limit" : "its limits"}, and where they are set
            </summary>
            <ul className="plain">
              {guard.limits.map((limit) => (
                <li key={limit.name}>
                  <span className="mono">{limit.name}</span> {said(limit.value)} · {limit.from}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </li>
  );
}

function Meter({ guard }: { guard: Measured }) {
  const allowed = guard.allowed ?? 0;
  const used = guard.used ?? 0;
  const share = allowed > 0 ? Math.min(1, used / allowed) : used > 0 ? 1 : 0;
  const tone = guard.overruled_by ? "orange" : guard.held ? "red" : "green";
  return (
    <div className="plan-meter" aria-hidden>
      <div style={{ width: `${share * 100}%`, background: `var(--${tone})` }} />
    </div>
  );
}

export const titledGuard = (name: string) => name.replace(/_/g, " ");
