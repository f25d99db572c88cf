// Who did what: the audit chain from its newest line, whether it is whole, and what each line changed.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import { auditQuery, everyLine, type Line, type Narrowed, verdictQuery } from "@/api/audit";
import { useEvents } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { useParams } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { useKeys } from "@/ui/keys";
import { Problem } from "@/ui/Problem";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { Filters } from "./audit/Filters";
import { OneLine } from "./audit/OneLine";
import { nameOf, namesIn, reasonOf } from "./audit/words";
import "./audit/audit.css";

export default function Audit() {
  const { organization = "" } = useScope();
  const [search, set] = useParams();
  const narrowed: Narrowed = { actor: search.actor, action: search.action, about: search.about };
  const query = useInfiniteQuery(auditQuery(organization, narrowed));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const columns = useMemo(() => columnsOf(namesIn(rows)), [rows]);
  const open = rows.find((row) => String(row.revision) === search.line);
  const clear = () => set({ actor: "", action: "", about: "" });
  useFresh();
  useKeys("audit", [
    { keys: "x", says: "clear all filters", do: clear },
    { keys: "Escape", says: "close the line", do: () => set({ line: "" }) },
  ]);
  return (
    <div className="page tall audit-page">
      <header>
        <h1>Audit</h1>
        <Verified />
        <span className="grow" />
        <Export narrowed={narrowed} />
      </header>
      <Filters narrowed={narrowed} rows={rows} set={set} />
      <QueryProblem query={query} />
      <div className={open ? "audit-beside open" : "audit-beside"}>
        <Table
          label="audit"
          columns={columns}
          rows={rows}
          keyOf={(row) => String(row.revision)}
          open={(row) => set({ line: String(row.revision) })}
          chosen={search.line ?? ""}
          choose={(line) => set({ line })}
          more={{ has: query.hasNextPage, loading: query.isFetching, load: () => void query.fetchNextPage() }}
          empty={query.isSuccess ? <Nothing narrowed={narrowed} clear={clear} /> : null}
          foot={
            <span className="number" role="status">
              {query.data && `${rows.length}${query.hasNextPage ? "+" : ""} lines shown`}
            </span>
          }
        />
        {open && <OneLine line={open} close={() => set({ line: "" })} />}
      </div>
    </div>
  );
}

const columnsOf = (names: Map<string, string>): Column<Line>[] => [
  { key: "at", title: "When", width: "92px", cell: (row) => <Ago at={row.at} /> },
  { key: "actor", title: "Who", width: "minmax(120px, 1fr)", cell: (row) => row.actor },
  { key: "action", title: "Did", width: "minmax(130px, 1fr)", cell: (row) => <code>{row.action}</code> },
  {
    key: "ref",
    title: "To",
    width: "minmax(150px, 1.4fr)",
    cell: (row) => (
      <>
        <span className="faint">{row.ref.split("/")[0]}</span> {nameOf(row, names)}
      </>
    ),
  },
  {
    key: "why",
    title: "Why, or what",
    width: "minmax(140px, 2fr)",
    cell: (row) => reasonOf(row) || <span className="faint">–</span>,
  },
  {
    key: "revision",
    title: "Line",
    width: "70px",
    cell: (row) => <span className="number faint">{row.revision}</span>,
  },
];

function Verified() {
  const { organization = "" } = useScope();
  const { data, error, isFetching, refetch } = useQuery(verdictQuery(organization));
  const word = data?.intact
    ? `chain verified: ${data.lines} lines`
    : `chain broken at line ${data?.broken_at}`;
  return (
    <span className="row">
      {data && <Badge symbol={data.intact ? "✓" : "✗"} tone={data.intact ? "green" : "red"} word={word} />}
      {Boolean(error) && <Badge symbol="?" tone="gray" word="chain not verified" />}
      <button
        type="button"
        className="link"
        title="each line holds the hash of the one before it; all of them are computed anew"
        onClick={() => void refetch()}
      >
        {isFetching ? "verifying …" : "verify again"}
      </button>
    </span>
  );
}

/** As JSON lines, hashes included: whoever has the file can compute the chain without us. */
function Export({ narrowed }: { narrowed: Narrowed }) {
  const { organization = "" } = useScope();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setBusy(true);
    try {
      const lines = await everyLine(organization, narrowed);
      const text = lines.map((line) => JSON.stringify(line)).join("\n");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
      link.download = `audit-${organization}.jsonl`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Problem error={error} />
      <Button icon={<Download size={14} aria-hidden />} busy={busy} onClick={() => void save()}>
        Export
      </Button>
    </>
  );
}

function Nothing({ narrowed, clear }: { narrowed: Narrowed; clear: () => void }) {
  if (Object.values(narrowed).some(Boolean))
    return (
      <Empty
        title="No line matches"
        command="setpoint audit"
        action={<Button onClick={clear}>Clear all filters</Button>}
      >
        Other people may have done it, or something else was done.
      </Empty>
    );
  return (
    <Empty
      title="Nobody did anything yet"
      command="setpoint audit verify"
      action={<Go to="/declare/project">Declare a project</Go>}
    >
      Whoever declares, approves or stops something leaves a line here that cannot be changed unnoticed.
    </Empty>
  );
}

const TOGETHER_MS = 500;

/** Every change leaves a line, and an event tells of most of them. */
function useFresh(): void {
  const client = useQueryClient();
  const [asked] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  useEvents(() => {
    asked.timer ??= setTimeout(() => {
      asked.timer = undefined;
      void client.invalidateQueries({ queryKey: ["audit"] });
    }, TOGETHER_MS);
  });
}
