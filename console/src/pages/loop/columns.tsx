// What a row of the loops shows.
import { titled } from "@/api/kinds";
import type { LoopRow } from "@/api/loops";
import type { Mode, State } from "@/api/shapes";
import { Ago, useNow } from "@/ui/Ago";
import { ModeBadge } from "@/ui/StateBadge";
import type { Column } from "@/ui/Table";
import { late } from "@/words/loops";
import { took } from "@/words/series";
import { STATES } from "@/words/state";
import { span } from "@/words/time";
import { Sizes } from "./Sizes";

export interface Row extends LoopRow {
  mode: Mode;
}

export const COLUMNS: Column<Row>[] = [
  { key: "kind", title: "Loop", width: "minmax(150px, 1.3fr)", cell: (row) => <Named row={row} /> },
  { key: "looks", title: "Looks", width: "minmax(104px, 0.8fr)", cell: (row) => <Looks row={row} /> },
  { key: "took", title: "Takes", width: "104px", cell: (row) => <Took row={row} /> },
  { key: "due", title: "Due", width: "52px", cell: (row) => <Due row={row} /> },
  {
    key: "objects",
    title: "Objects",
    width: "minmax(130px, 1.1fr)",
    cell: (row) => <States states={row.states} total={row.entities} />,
  },
  {
    key: "sizes",
    title: "Last decisions",
    width: "minmax(150px, 1.6fr)",
    cell: (row) => <Sizes decisions={row.decisions} />,
  },
  {
    key: "undone",
    title: "Does not get done",
    width: "minmax(140px, 1.2fr)",
    cell: (row) => <Undone row={row} />,
  },
  { key: "deletes", title: "Deletes", width: "92px", cell: (row) => <Deletes row={row} /> },
];

function Named({ row }: { row: Row }) {
  const place = [row.scope.project, row.scope.workspace].filter(Boolean).join(" / ");
  return (
    <span className="loop-lines">
      <span className="row">
        <strong>{titled(row.kind)}</strong>
        {row.mode !== "run" && <ModeBadge mode={row.mode} />}
      </span>
      <span className="faint cut">{place || row.scope.organization}</span>
    </span>
  );
}

export function Looks({ row }: { row: LoopRow }) {
  const isLate = late(row, useNow());
  return (
    <span className="loop-lines">
      <span className="number">{row.every ? `every ${span(row.every)}` : "when told"}</span>
      <span className={isLate ? "tone-orange" : "faint"}>
        {isLate && "! "}
        {row.last_pass ? <Ago at={row.last_pass} /> : (row.stale ?? "…")}
      </span>
    </span>
  );
}

export function Took({ row }: { row: LoopRow }) {
  if (row.p50 === null) return <span className="faint">…</span>;
  return (
    <span
      className="loop-lines number"
      title="half of the passes took at most the first, ninety-nine of a hundred the second"
    >
      <span>{took(row.p50)}</span>
      <span className="faint">p99 {took(row.p99)}</span>
    </span>
  );
}

function Due({ row }: { row: Row }) {
  if (!row.due) return <span className="faint number">{row.due ?? "–"}</span>;
  return <strong className="number">{row.due}</strong>;
}

export function States({ states, total }: { states: LoopRow["states"]; total: number }) {
  const known = (Object.keys(STATES) as State[]).filter((state) => states[state]);
  const unwell = known.filter((state) => state !== "READY");
  return (
    <span className="loop-lines" title={known.map((state) => `${states[state]} ${state}`).join(", ")}>
      <span className="number">{total}</span>
      <span className="cut">
        {unwell.map((state) => (
          <span key={state} className={`tone-${STATES[state].tone}`}>
            {STATES[state].symbol} {states[state]} {state.toLowerCase()}{" "}
          </span>
        ))}
        {unwell.length === 0 && <span className="tone-green">= in step</span>}
      </span>
    </span>
  );
}

/** Held for a person, tried now and then only, fought over, or slowed down because acts fail. */
export function Undone({ row }: { row: LoopRow }) {
  const told: [number, string, string][] = [
    [row.states.HELD ?? 0, "held", "orange"],
    [row.slow, "slow lane", "red"],
    [row.contested, "contested", "orange"],
    [row.braked, "braked", "red"],
  ];
  const there = told.filter(([count]) => count > 0);
  if (there.length === 0) return <span className="faint">nothing waits</span>;
  return (
    <span className="loop-wraps">
      {there.map(([count, word, tone]) => (
        <span key={word} className={`tone-${tone}`}>
          ! {count} {word}
        </span>
      ))}
    </span>
  );
}

/** Both sorts: a delete that a person approved is not charged to the budget, and happened all the same. */
export function Deletes({ row }: { row: LoopRow }) {
  const { deletes, approved_deletes: approved = 0 } = row;
  const all = deletes + approved;
  return (
    <span
      className="loop-lines number"
      title={`${deletes} charged to the budget of the organization, ${approved} approved by a person`}
    >
      <span className={all ? "tone-red" : "faint"}>{all}</span>
      {approved > 0 && <span className="faint">{approved} approved</span>}
    </span>
  );
}
