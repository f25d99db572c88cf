// Hosts with the pulse of their agents: who is silent, which version each runs, and what is outdated.
import { useRef } from "react";
import { Ago, useNow } from "@/ui/Ago";
import { useParams } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { EntityLink } from "@/ui/EntityLink";
import { Go } from "@/ui/Go";
import { useKeys } from "@/ui/keys";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge, StateBadge } from "@/ui/StateBadge";
import { Strip } from "./hosts/Strip";
import { type HostRow, useAll, useHosts } from "./hosts/useHosts";
import "./hosts/hosts.css";

const SILENT_MS = 30_000;
const FILTERS = { silent: "silent", outdated: "outdated", unwell: "not READY" } as const;
type Filter = keyof typeof FILTERS;

export default function Hosts() {
  const found = useHosts();
  useAll(found);
  const { rows, hosts } = found;
  const [search, set] = useParams();
  const now = useNow();
  const field = useRef<HTMLInputElement>(null);
  const only = (search.only ?? "") as Filter | "";
  const text = (search.text ?? "").toLowerCase();
  const shown = rows.filter((row) => row.host.metadata.name.includes(text) && (!only || is(row, only, now)));
  const versions = [...new Set(rows.map((row) => row.version).filter(Boolean))].sort();
  useKeys("hosts", [
    { keys: "/", says: "find by name", do: () => field.current?.focus() },
    { keys: "x", says: "clear all filters", do: () => set({ only: "", text: "" }) },
  ]);
  return (
    <div className="page">
      <header>
        <h1>Hosts</h1>
        <input
          ref={field}
          className="filter"
          type="search"
          aria-label="find by name"
          placeholder="find by name  ( / )"
          value={search.text ?? ""}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
        <span className="grow faint">
          {versions.length > 0 && `agents run ${versions.join(", ")}; the control plane is ${__VERSION__}`}
        </span>
      </header>
      <div className="facets" role="group" aria-label="show only">
        {(Object.keys(FILTERS) as Filter[]).map((each) => (
          <button
            key={each}
            type="button"
            className="facet"
            aria-pressed={each === only}
            onClick={() => set({ only: each === only ? "" : each })}
          >
            {FILTERS[each]}
            <span className="number">
              {hosts.data ? rows.filter((row) => is(row, each, now)).length : "…"}
              {hosts.hasNextPage && "+"}
            </span>
          </button>
        ))}
      </div>
      <QueryProblem query={hosts} />
      {hosts.isSuccess && shown.length === 0 && (
        <Nothing any={rows.length > 0} clear={() => set({ only: "", text: "" })} />
      )}
      <ul className="hosts-list" aria-label="hosts">
        {shown.map((row) => (
          <HostCard key={row.host.metadata.ref} row={row} now={now} />
        ))}
      </ul>
      {hosts.hasNextPage && (
        <Button busy={hosts.isFetchingNextPage} onClick={() => void hosts.fetchNextPage()}>
          More hosts
        </Button>
      )}
    </div>
  );
}

function is(row: HostRow, filter: Filter, now: number): boolean {
  if (filter === "unwell") return row.host.status.state !== "READY";
  if (filter === "outdated") return row.version !== "" && row.version !== __VERSION__;
  return isSilent(row, now);
}

/** By what was heard lately, else by what was concluded. */
function isSilent({ agent, heardAt, pulse }: HostRow, now: number): boolean {
  if (!agent) return false;
  return heardAt ? now - Date.parse(heardAt) > SILENT_MS : pulse.alive === false;
}

function HostCard({ row, now }: { row: HostRow; now: number }) {
  const { host, agent, pulse, version } = row;
  const { facts } = agent?.status ?? { facts: {} as Record<string, never> };
  return (
    <li className="card">
      <div className="row wrap">
        <strong className="grow">
          <EntityLink entity={host} />{" "}
          <span className="faint">
            {[host.metadata.project, host.metadata.workspace].filter(Boolean).join("/")}
          </span>
        </strong>
        <StateBadge state={host.status.state} />
      </div>
      {agent ? (
        <Strip pulse={pulse} />
      ) : (
        <span className="faint">
          {host.spec.agent === false ? "declared without an agent" : "no agent enrolled yet"}
        </span>
      )}
      <div className="row wrap hosts-small">
        {agent && (
          <span className="faint">
            {isSilent(row, now) ? "silent since " : "heard "}
            <Ago at={row.heardAt} />
          </span>
        )}
        {version && <span className="mono">{version}</span>}
        {version && version !== __VERSION__ && <Badge symbol="▲" tone="yellow" word="outdated" />}
        {host.status.facts.address && <span className="mono faint">{String(host.status.facts.address)}</span>}
        {facts.system && <span className="faint">{String(facts.system)}</span>}
      </div>
      {host.status.state !== "READY" && <div className="hosts-small">{host.status.reason}</div>}
    </li>
  );
}

function Nothing({ any, clear }: { any: boolean; clear: () => void }) {
  if (any)
    return (
      <Empty
        title="No host matches"
        command="setpoint get host"
        action={<Button onClick={clear}>Clear all filters</Button>}
      />
    );
  return (
    <Empty
      title="No host is declared here"
      command="setpoint explain host"
      action={<Go to="/declare/host">Declare a host</Go>}
    >
      Declare one with a provider, a size and an image; its agent introduces itself when the machine is up.
    </Empty>
  );
}
