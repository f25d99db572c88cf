// The actions of a plan: deletes first in their own box, equal ones folded; guards that hold it below.
import type { Action, Plan } from "@/api/plans";
import { Diff } from "@/ui/Diff";
import { VerbBadge } from "@/ui/StateBadge";

const ORDER = ["delete", "replace", "update", "create"];
const SHOWN = 30;

export function Actions({ plan }: { plan: Plan }) {
  const total = Object.values(plan.changes).reduce((sum, count) => sum + count, 0);
  const sorted = [...plan.actions].sort((one, other) => ORDER.indexOf(one.verb) - ORDER.indexOf(other.verb));
  return (
    <div className="stack">
      {plan.holds.map((hold) => (
        <div key={hold.guard} className="held">
          <strong>! {hold.guard.replace(/_/g, " ")}</strong> {hold.message}
        </div>
      ))}
      {sorted.slice(0, SHOWN).map((action) => (
        <One key={action.verb + action.item} action={action} />
      ))}
      {total > SHOWN && <p className="faint">and {(total - SHOWN).toLocaleString("en")} more</p>}
      {sorted.length === 0 && <p className="faint">= nothing would change at the provider</p>}
    </div>
  );
}

function One({ action }: { action: Action }) {
  return (
    <details
      className={`card action-${action.verb}`}
      open={action.verb === "update" || action.verb === "replace"}
    >
      <summary>
        <VerbBadge verb={action.verb} /> <span className="mono">{action.item}</span>
      </summary>
      <Diff before={action.before ?? undefined} after={action.after ?? undefined} />
    </details>
  );
}
