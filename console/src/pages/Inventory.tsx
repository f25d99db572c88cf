// Everything that is declared, of all kinds, in one table. Columns and facets come from the kinds; every choice is in the address.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { keyOf, useWhyNot } from "@/api/access";
import { type Asked, askedOf, inventoryQuery, summaryQuery } from "@/api/inventory";
import { titled, useKind, useKinds } from "@/api/kinds";
import type { Entity, Kind, State } from "@/api/shapes";
import { useEvents } from "@/live/live";
import { keepScope, textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { useParams } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { useKeys } from "@/ui/keys";
import { QueryProblem } from "@/ui/QueryProblem";
import { StateBadge } from "@/ui/StateBadge";
import { Table } from "@/ui/Table";
import { choosable, shownOf } from "@/words/columns";
import { linkTo } from "@/words/link";
import { STATES } from "@/words/state";
import { BulkBar } from "./inventory/BulkBar";
import { Columns } from "./inventory/Columns";
import { columnsOf } from "./inventory/cells";
import { useSelection } from "./inventory/useSelection";
import { Views } from "./inventory/Views";

const PAUSE_MS = 50; // Shorter than two keys are apart; a question that is overtaken is taken back.

export default function Inventory() {
  const scope = useScope();
  const [search, set] = useParams();
  const navigate = useNavigate();
  const asked = askedOf(search);
  const query = useInfiniteQuery(inventoryQuery(scope, asked));
  const kind = useKind(search.kind ?? "");
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const fresh = useNewcomers(rows, query.data?.pages.length ?? 0, asked);
  const all = useMemo(() => choosable(kind, rows), [kind, rows]);
  const shown = useMemo(() => shownOf(kind, search.columns), [kind, search.columns]);
  const columns = useMemo(() => columnsOf(shown, all, textOf(scope)), [shown, all, scope]);
  const selection = useSelection(rows);
  const filterRef = useRef<HTMLInputElement>(null);
  useKeys("inventory", [
    { keys: "/", says: "find by name", do: () => filterRef.current?.focus() },
    { keys: "c", says: "clear all filters", do: () => set({ kind: "", state: "", text: "", filter: "" }) },
  ]);
  const open = (row: Entity, tab?: string) =>
    void navigate({ ...linkTo(row), search: { scope: textOf(scope), ...(tab ? { tab } : {}) } as never });
  return (
    <div className="page tall">
      <header>
        <h1>Inventory</h1>
        <Find field={filterRef} text={search.text ?? ""} set={(text) => set({ text })} />
        <span className="grow" />
        <Views search={search} set={set} />
        <Columns
          all={all}
          shown={shown}
          chosen={search.columns ?? ""}
          choose={(columns) => set({ columns })}
        />
        <DeclareButton kind={kind} />
      </header>
      <Facets kind={search.kind ?? ""} state={search.state ?? ""} set={set} />
      <QueryProblem query={query} />
      <BulkBar chosen={selection.chosen} clear={selection.clear} />
      <Table
        label="inventory"
        columns={columns}
        rows={rows}
        keyOf={(row) => row.metadata.ref}
        open={(row) => open(row)}
        order={search.order ?? ""}
        setOrder={(order) => set({ order })}
        selection={selection}
        chosen={search.at ?? ""}
        choose={(at) => set({ at })}
        rowKeys={[
          { keys: "w", says: "why is it so", do: (row) => open(row, "why") },
          { keys: "d", says: "wanted and seen", do: (row) => open(row, "summary") },
          { keys: "y", says: "as YAML", do: (row) => open(row, "raw") },
        ]}
        more={{ has: query.hasNextPage, loading: query.isFetching, load: () => void query.fetchNextPage() }}
        empty={
          query.isSuccess ? (
            <Nothing asked={asked} clear={() => set({ kind: "", state: "", text: "", filter: "" })} />
          ) : null
        }
        foot={
          <>
            <span className="number" role="status">
              {query.data && `${rows.length}${query.hasNextPage ? "+" : ""} shown`}
            </span>
            {query.isFetching && <span>asking …</span>}
            {fresh.count > 0 && (
              <button type="button" className="link" onClick={fresh.show}>
                {fresh.count} new, show them
              </button>
            )}
          </>
        }
      />
    </div>
  );
}

function Find({
  field,
  text,
  set,
}: {
  field: React.RefObject<HTMLInputElement | null>;
  text: string;
  set: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    const timer = setTimeout(() => typed !== text && set(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => setTyped(text), [text]);
  return (
    <input
      ref={field}
      className="filter"
      type="search"
      aria-label="find by name or label"
      placeholder="find by name or label  ( / )"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
    />
  );
}

function Facets({
  kind,
  state,
  set,
}: {
  kind: string;
  state: string;
  set: (values: Record<string, string>) => void;
}) {
  const scope = useScope();
  const kinds = useKinds();
  const { data } = useQuery(summaryQuery(scope));
  const counted = data?.items ?? [];
  const sum = (wanted: (each: (typeof counted)[number]) => boolean) =>
    counted.filter(wanted).reduce((total, each) => total + each.count, 0);
  // A count that was not read is no zero.
  const said = (count: number) => (data ? count : "…");
  const here = kinds.filter((each) => each.name === kind || sum((row) => row.kind === each.name) > 0);
  return (
    <div className="stack" style={{ gap: 6, marginBottom: 10 }}>
      <div className="facets" role="group" aria-label="states">
        {(Object.keys(STATES) as State[]).map((each) => (
          <button
            key={each}
            type="button"
            className="facet"
            aria-pressed={each === state}
            onClick={() => set({ state: each === state ? "" : each })}
          >
            <StateBadge state={each} />
            <span className="number">
              {said(sum((row) => row.state === each && (!kind || row.kind === kind)))}
            </span>
          </button>
        ))}
      </div>
      <div className="facets" role="group" aria-label="kinds">
        {here.map((each) => (
          <button
            key={each.name}
            type="button"
            className="facet"
            title={each.about}
            aria-pressed={each.name === kind}
            onClick={() => set({ kind: each.name === kind ? "" : each.name, columns: "" })}
          >
            {titled(each.name)}
            <span className="number">
              {said(sum((row) => row.kind === each.name && (!state || row.state === state)))}
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}

function DeclareButton({ kind }: { kind: Kind | undefined }) {
  const scope = useScope();
  const navigate = useNavigate();
  const whyNot = useWhyNot("create", kind ? keyOf(kind) : "", scope);
  const none = kind ? "" : "choose a kind first: its form comes from its schema";
  const machine = kind?.by_machine ? `${titled(kind.name)} objects are made by machines, not by people` : "";
  return (
    <Button
      look="main"
      icon={<Plus size={14} aria-hidden />}
      whyNot={none || machine || whyNot}
      onClick={() =>
        void navigate({
          to: "/declare/$kind" as never,
          params: { kind: kind?.name } as never,
          search: keepScope,
        })
      }
    >
      {kind ? `Declare a ${titled(kind.name)}` : "Declare"}
    </Button>
  );
}

function Nothing({ asked, clear }: { asked: Asked; clear: () => void }) {
  const filtered = Object.entries(asked).some(([key, value]) => key !== "order" && value);
  if (filtered)
    return (
      <Empty
        title="Nothing here matches"
        command="setpoint get all"
        action={<Button onClick={clear}>Clear all filters</Button>}
      >
        There may be something under other states, kinds or names.
      </Empty>
    );
  return (
    <Empty
      title="Nothing is declared here yet"
      command="setpoint apply -f shop.yaml"
      action={<Go to="/declare/project">Declare a project</Go>}
    >
      Declare a project, a provider and a host, in a file or with a form, and they appear here as they become
      real.
    </Empty>
  );
}

/** Objects that appeared since the list was read: shown at once while it is short, offered once one has scrolled far. */
function useNewcomers(rows: Entity[], pages: number, asked: Asked): { count: number; show: () => void } {
  const client = useQueryClient();
  const [unseen, setUnseen] = useState<Set<string>>(new Set());
  const known = useMemo(() => new Set(rows.map((row) => row.metadata.ref)), [rows]);
  const show = () => {
    setUnseen(new Set());
    void client.invalidateQueries({ queryKey: ["inventory"] });
  };
  useEvents((told) => {
    const object = told.object;
    if (!object || known.has(told.ref) || (asked.kind && object.kind !== asked.kind)) return;
    if (asked.state && object.status.state !== asked.state) return;
    setUnseen((before) => new Set(before).add(told.ref));
  });
  const missing = [...unseen].filter((ref) => !known.has(ref)).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when somebody new was told of, not when rows change
  useEffect(() => {
    if (unseen.size === 0 || pages > 2) return;
    const timer = setTimeout(show, 300);
    return () => clearTimeout(timer);
  }, [unseen.size]);
  return { count: pages > 2 ? missing : 0, show };
}
