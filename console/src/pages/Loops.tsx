// A row for each kind: how often it looks, what it last decided, what is held, and whether somebody stopped it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { titled } from "@/api/kinds";
import { type LoopRow, loopsQuery, type Pass, passesQuery } from "@/api/loops";
import type { Mode, State } from "@/api/shapes";
import { useSwitches } from "@/api/switches";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { useParam } from "@/ui/address";
import { Empty } from "@/ui/Empty";
import { keepScope } from "@/ui/Palette";
import { Problem } from "@/ui/Problem";
import { ModeBadge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { STATES } from "@/words/state";
import { span } from "@/words/time";
import { Sizes } from "./loop/Sizes";
import "./loop/loop.css";

const PASSES = 200;

interface Row extends LoopRow {
  passes: Pass[];
  mode: Mode;
}

export default function Loops() {
  const { organization = "" } = useScope();
  const navigate = useNavigate();
  const [at, setAt] = useParam("at");
  const loops = useQuery(loopsQuery);
  const passes = useQuery(passesQuery(organization, "", PASSES));
  const switches = useSwitches();
  const rows = useMemo(() => {
    const looking = (loops.data ?? []).filter((loop) => loop.every || loop.entities);
    return looking
      .map((loop) => ({
        ...loop,
        passes: (passes.data ?? []).filter((pass) => pass.kind === loop.kind),
        mode: switches.find((each) => each.key === `kind:${loop.kind}`)?.mode ?? ("run" as Mode),
      }))
      .sort((one, other) => trouble(other) - trouble(one));
  }, [loops.data, passes.data, switches]);
  const open = (row: Row) =>
    void navigate({ to: "/loops/$kind" as never, params: { kind: row.kind } as never, search: keepScope });
  return (
    <div className="page tall">
      <header>
        <h1>Loops</h1>
        <span className="faint">{sentence(rows)}</span>
      </header>
      <Problem error={loops.error ?? passes.error} again={() => void loops.refetch()} />
      <Table
        label="loops"
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => row.kind}
        chosen={at}
        choose={setAt}
        open={open}
        height={44}
        rowKeys={[{ keys: "p", says: "pause or resume the kind", do: open }]}
        empty={
          loops.isSuccess ? (
            <Empty title="No loop looks after anything here yet" command="setpoint apply -f shop.yaml">
              Declare something, and its loop begins to look.
            </Empty>
          ) : null
        }
        foot={
          <span>
            bars: the last decisions, newest right; <span className="tone-red">red</span> is taken away.
            Passes that had nothing to decide leave no trace.
          </span>
        }
      />
    </div>
  );
}

const COLUMNS: Column<Row>[] = [
  {
    key: "kind",
    title: "Loop",
    width: "minmax(140px, 1fr)",
    cell: (row) => <strong>{titled(row.kind)}</strong>,
  },
  { key: "mode", title: "Mode", width: "110px", cell: (row) => <ModeBadge mode={row.mode} /> },
  {
    key: "every",
    title: "Looks every",
    width: "100px",
    cell: (row) => <span className="number">{row.every ? span(row.every) : "when told"}</span>,
  },
  {
    key: "entities",
    title: "Objects",
    width: "minmax(150px, 1.2fr)",
    cell: (row) => <States states={row.states} total={row.entities} />,
  },
  {
    key: "sizes",
    title: "Last decisions",
    width: "minmax(170px, 1.6fr)",
    cell: (row) => <Sizes passes={row.passes.slice(0, 40)} />,
  },
  {
    key: "held",
    title: "Held lately",
    width: "minmax(140px, 1.4fr)",
    cell: (row) => <HeldLately passes={row.passes} />,
  },
  {
    key: "last",
    title: "Last decision",
    width: "120px",
    cell: (row) => <Ago at={row.passes[0]?.at} />,
  },
];

function States({ states, total }: { states: LoopRow["states"]; total: number }) {
  const known = (Object.keys(STATES) as State[]).filter((state) => states[state]);
  return (
    <span className="row" title={known.map((state) => `${states[state]} ${state}`).join(", ")}>
      <span className="number">{total}</span>
      {known
        .filter((state) => state !== "READY")
        .map((state) => (
          <span key={state} className={`tone-${STATES[state].tone}`}>
            {STATES[state].symbol} {states[state]} {state.toLowerCase()}
          </span>
        ))}
      {total > 0 && known.every((state) => state === "READY") && (
        <span className="tone-green">= in step</span>
      )}
    </span>
  );
}

function HeldLately({ passes }: { passes: Pass[] }) {
  const last = passes.find((pass) => pass.holds.length > 0);
  if (!last) return <span className="faint">nothing</span>;
  return (
    <span className="cut" title={last.holds[0]?.message}>
      <span className="tone-orange">! {last.holds[0]?.guard.replace(/_/g, " ")}</span>{" "}
      <span className="faint">{last.name}</span>
    </span>
  );
}

/** What needs somebody comes first. */
function trouble(row: Row): number {
  const { FAILED = 0, HELD = 0, DEGRADED = 0, PENDING = 0 } = row.states;
  const weight = FAILED * 1000 + HELD * 500 + DEGRADED * 100 + PENDING * 10;
  return weight + (row.mode === "run" ? 0 : 5000) + (row.every ? 1 : 0);
}

function sentence(rows: Row[]): string {
  const stopped = rows.filter((row) => row.mode !== "run").length;
  const held = rows.reduce((sum, row) => sum + (row.states.HELD ?? 0), 0);
  const parts = [`${rows.length} loops`];
  if (held) parts.push(`${held} objects held`);
  if (stopped) parts.push(`${stopped} not running`);
  return parts.join(", ");
}
