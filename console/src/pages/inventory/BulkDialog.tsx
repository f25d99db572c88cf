// One action on several: which of them it reaches, and why not the others; then one by one, each with how it went.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useKinds } from "@/api/kinds";
import { Refusal } from "@/api/request";
import { allowedQuery } from "@/api/selection";
import type { Entity, Kind, Mode } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { PauseChoice } from "@/ui/PauseChoice";
import { QueryProblem } from "@/ui/QueryProblem";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { ACTIONS, type Action, deedOf } from "@/words/bulk";
import { demanded, previewed, reasons } from "@/words/selection";

const AT_ONCE = 4;
type Outcome = "waits" | "under way" | "done" | { refused: string };

export interface BulkProps {
  action: Action;
  rows: Entity[];
  /** With whether all of it was done. */
  close: (all: boolean) => void;
}

export default function BulkDialog({ action, rows, close }: BulkProps) {
  const { organization = "" } = useScope();
  const kinds = new Map(useKinds().map((kind) => [kind.name, kind]));
  const asked = useQuery(
    allowedQuery(
      organization,
      action,
      rows.map((row) => row.metadata.ref),
    ),
  );
  const [reason, setReason] = useState("");
  const [mode, setMode] = useState<Mode>("stop");
  const [typed, setTyped] = useState("");
  const { outcomes, run, busy, dialog } = useRun();
  const told = asked.data ?? [];
  const able = rows.filter((row) => told.find((each) => each.ref === row.metadata.ref)?.allowed);
  const left = able.filter((row) => outcomes.get(row.metadata.ref) !== "done");
  const deeds = able.map((row) => deedOf(action, row, kinds.get(row.kind) as Kind, mode, reason));
  const began = outcomes.size > 0;
  const over = began && !busy && left.length === 0;
  const whyNot = !asked.data
    ? "one moment: what it would reach is being asked"
    : able.length === 0
      ? "it would reach none of them"
      : action === "pause" && !reason.trim()
        ? "say why: everybody reads it"
        : action === "delete" && typed !== demanded(able)
          ? `type "${demanded(able)}" to go on`
          : "";
  const begin = () =>
    void run(
      left.map((row) => [row.metadata.ref, deedOf(action, row, kinds.get(row.kind) as Kind, mode, reason)]),
    );
  return (
    <>
      <Dialog
        open
        wide
        title={`${ACTIONS[action].title}: ${rows.length} objects`}
        does={
          over
            ? undefined
            : began
              ? `Try the ${left.length} others again`
              : `${ACTIONS[action].title} ${able.length}`
        }
        danger={action === "delete"}
        close={() => close(over)}
        submit={begin}
        busy={busy}
        whyNot={whyNot}
      >
        <p className="inventory-flat">{ACTIONS[action].says}</p>
        <QueryProblem query={asked} />
        {asked.data && (
          <div className="card" aria-label="what it would reach" role="region">
            <strong>{previewed(told, ACTIONS[action].done)}</strong>
            {reasons(told, (ref) => nameOf(rows, ref)).map(({ why, names }) => (
              <p className="inventory-flat tone-orange" key={why}>
                ! {named(names)}: {why}
              </p>
            ))}
            <Progress rows={able} outcomes={outcomes} />
          </div>
        )}
        {action === "pause" && <PauseChoice mode={mode} change={setMode} />}
        {action === "pause" && <TextField label="why" required focus value={reason} change={setReason} />}
        {action === "delete" && !began && able.length > 0 && (
          <TextField label={`type ${demanded(able)}`} required focus value={typed} change={setTyped} />
        )}
        {deeds[0] && <ShowAs deed={deeds[0]} others={deeds.slice(1)} />}
      </Dialog>
      {dialog}
    </>
  );
}

/** A line for each, with how far it is. */
function Progress({ rows, outcomes }: { rows: Entity[]; outcomes: Map<string, Outcome> }) {
  const done = rows.filter((row) => outcomes.get(row.metadata.ref) === "done").length;
  if (outcomes.size === 0)
    return (
      <p className="inventory-flat faint inventory-reached">{named(rows.map((row) => row.metadata.name))}</p>
    );
  return (
    <>
      <progress className="inventory-bulk-progress" max={rows.length} value={done} aria-label="done so far" />
      <p className="inventory-flat number" role="status">
        {done} of {rows.length} done
      </p>
      <ul className="plain inventory-reached">
        {rows.map((row) => {
          const outcome = outcomes.get(row.metadata.ref) ?? "waits";
          const refused = typeof outcome === "object";
          return (
            <li
              key={row.metadata.ref}
              className={refused ? "tone-red" : outcome === "done" ? "tone-green" : "faint"}
            >
              {refused ? "✗" : outcome === "done" ? "=" : "…"} {row.metadata.name}
              {refused ? `: ${outcome.refused}` : outcome === "done" ? "" : `: ${outcome}`}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** A few requests side by side, each refusal kept with what it was about; the others go on. */
function useRun() {
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<Map<string, Outcome>>(new Map());
  const [busy, setBusy] = useState(false);
  const { send, dialog } = useProven();
  const tell = (ref: string, outcome: Outcome) => setOutcomes((known) => new Map(known).set(ref, outcome));
  const run = async (work: [string, ReturnType<typeof deedOf>][]) => {
    setBusy(true);
    for (const [ref] of work) tell(ref, "waits");
    const waiting = [...work];
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [ref, deed] = next;
        tell(ref, "under way");
        try {
          await send(deed.method, deed.path, { body: deed.body });
          tell(ref, "done");
        } catch (error) {
          tell(ref, { refused: error instanceof Refusal ? error.message : String(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    for (const word of ["switches", "allowed"])
      void client.invalidateQueries({
        queryKey: [word],
        refetchType: word === "allowed" ? "none" : "active",
      });
    setBusy(false);
  };
  return { outcomes, run, busy, dialog };
}

const nameOf = (rows: Entity[], ref: string) =>
  rows.find((row) => row.metadata.ref === ref)?.metadata.name ?? ref;

const MOST_NAMED = 12;

function named(names: string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
