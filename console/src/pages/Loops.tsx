// A row for each kind at each place: how it looks, how long that takes, what it decided, and what it does not get done.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type LoopRow, loopsQuery } from "@/api/loops";
import type { Mode } from "@/api/shapes";
import { useSwitches } from "@/api/switches";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { useParam } from "@/ui/address";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { QueryProblem } from "@/ui/QueryProblem";
import { Table } from "@/ui/Table";
import { sentence, trouble } from "@/words/loops";
import { COLUMNS, type Row } from "./loop/columns";
import { Heat } from "./loop/Heat";
import "./loop/loop.css";

const VIEWS = [
  ["", "now"],
  ["hours", "last 24 hours"],
] as const;

export default function Loops() {
  const scope = useScope();
  const [at, setAt] = useParam("at");
  const [view, setView] = useParam("view");
  const loops = useQuery(loopsQuery(scope));
  const switches = useSwitches();
  const budget = loops.data?.budget;
  const rows = useMemo(() => {
    const modes = new Map(switches.map((each) => [each.key, each.mode]));
    const modeOf = (row: LoopRow): Mode => modes.get(`kind:${row.kind}`) ?? "run";
    return (loops.data?.items ?? [])
      .map((row): Row => ({ ...row, mode: modeOf(row) }))
      .sort((one, other) => trouble(other, other.mode) - trouble(one, one.mode));
  }, [loops.data, switches]);
  const stopped = new Set(rows.filter((row) => row.mode !== "run").map((row) => row.kind)).size;
  return (
    <div className="page tall">
      <header>
        <h1>Loops</h1>
        <span className="faint">
          {loops.data && sentence(rows, stopped, Boolean(loops.data.next_page_token))}
        </span>
        <span className="grow" />
        {budget && (
          <span className="faint" title="deletes an hour that an organization may make without a person">
            {budget.left} of {budget.limit} deletes left this hour without approval
          </span>
        )}
        {VIEWS.map(([word, said]) => (
          <button
            key={said}
            type="button"
            className="link"
            aria-pressed={view === word}
            onClick={() => setView(word)}
          >
            {said}
          </button>
        ))}
      </header>
      <QueryProblem query={loops} />
      {view === "hours" ? <Heat /> : <Rows rows={rows} at={at} choose={setAt} ready={loops.isSuccess} />}
    </div>
  );
}

function Rows(props: { rows: Row[]; at: string; choose: (at: string) => void; ready: boolean }) {
  const { rows, at, choose, ready } = props;
  const navigate = useNavigate();
  const open = (row: Row) =>
    void navigate({
      to: "/loops/$kind" as never,
      params: { kind: row.kind } as never,
      search: { scope: textOf(row.scope) } as never,
    });
  return (
    <Table
      label="loops"
      columns={COLUMNS}
      rows={rows}
      keyOf={(row) => `${row.kind} ${textOf(row.scope)}`}
      chosen={at}
      choose={choose}
      open={open}
      height={52}
      rowKeys={[{ keys: "p", says: "pause or resume the kind", do: open }]}
      empty={
        ready ? (
          <Empty
            title="No loop looks after anything here yet"
            command="setpoint apply -f shop.yaml"
            action={<Go to="/inventory">Declare something</Go>}
          >
            Each kind has a loop that looks at what is there, and closes what differs from what is declared.
          </Empty>
        ) : null
      }
      foot={
        <span>
          Decisions: oldest left; <span className="tone-red">red</span> is taken away. A pass that had nothing
          to decide leaves no trace there.
        </span>
      }
    />
  );
}
