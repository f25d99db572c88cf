// Two values field by field: before and after side by side, what is equal folded away, secrets as "changed".
import { useState } from "react";
import type { Json } from "@/api/shapes";
import { type Change, differences, said } from "@/words/difference";

export function Diff({
  before,
  after,
  titles = ["before", "after"],
  all = false,
}: {
  before: Json | undefined;
  after: Json | undefined;
  titles?: [string, string];
  all?: boolean;
}) {
  const changes = differences(before, after);
  const [open, setOpen] = useState(all);
  const equal = changes.filter((each) => each.same);
  const shown = open ? changes : changes.filter((each) => !each.same);
  return (
    <div className="table-scrolls">
      <table className="diff">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">{titles[0]}</th>
            <th scope="col">{titles[1]}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((each) => (
            <Line key={each.field} change={each} />
          ))}
          {shown.length === 0 && (
            <tr>
              <td colSpan={3} className="faint">
                = no field differs
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {!all && equal.length > 0 && (
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "fold" : "show"} {equal.length} equal {equal.length === 1 ? "field" : "fields"}
        </button>
      )}
    </div>
  );
}

function Line({ change }: { change: Change }) {
  return (
    <tr>
      <td className="mono">
        {change.same ? "=" : change.before === undefined ? "+" : change.after === undefined ? "-" : "~"}{" "}
        {change.field}
      </td>
      <td className={lookOf(change, "before")}>{said(change.before)}</td>
      <td className={lookOf(change, "after")}>{said(change.after)}</td>
    </tr>
  );
}

/** Coloured where something is: an empty red cell would say that something was taken away. */
function lookOf(change: Change, side: "before" | "after"): string {
  if (change.same) return "mono faint";
  return change[side] === undefined ? "mono" : `mono ${side}`;
}
