// How much may happen here: asked once, with a reason, in force when the request returns.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { at } from "@/api/request";
import type { Mode } from "@/api/shapes";
import { above, useSwitches } from "@/api/switches";
import { useLive } from "@/live/live";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { ChoiceField } from "@/ui/ChoiceField";
import { Dialog } from "@/ui/Dialog";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { TextField } from "@/ui/TextField";
import { type Deed, quoted } from "@/words/deed";
import { MODES, reachOf } from "@/words/state";

export default function ModeDialog({ mode, close }: { mode: Mode; close: () => void }) {
  const scope = useScope();
  const here = textOf(scope);
  const levels = [here, ...(here.includes("/") ? [scope.organization ?? ""] : [])].map(
    (place) => `scope:${place}`,
  );
  const switches = useSwitches();
  const set = above(switches, scope)[0]?.key;
  const [key, setKey] = useState(mode !== "run" && set ? set : (levels[0] ?? "all"));
  const [wanted, setWanted] = useState<Mode>(mode === "run" ? "stop" : "run");
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const { flipped } = useLive();
  const forbidden = useWhyNot("execute", "organization.switch", key === "all" ? {} : scope);
  const { send, dialog } = useProven();
  const deed = deedOf(key, wanted, reason);
  const put = useMutation({
    mutationFn: () => send("PUT", deed.path, { body: deed.body }),
    onSuccess: async () => {
      flipped();
      await client.invalidateQueries({ queryKey: ["switches"] });
      close();
    },
  });
  const whyNot =
    forbidden || (reason.trim() ? "" : "say why: everybody reads it, and it is kept in the audit");
  return (
    <>
      <Dialog
        open
        title="How much may happen here"
        close={close}
        does={wanted === "run" ? "Let it run" : `Set to ${MODES[wanted].word}`}
        danger={wanted !== "run"}
        submit={() => put.mutate()}
        busy={put.isPending}
        whyNot={whyNot}
        error={put.error}
      >
        <fieldset className="modes">
          <legend>mode</legend>
          {(Object.keys(MODES) as Mode[]).map((each) => (
            <label key={each} className={`tone-${MODES[each].tone}`}>
              <input type="radio" name="mode" checked={each === wanted} onChange={() => setWanted(each)} />
              <strong>{MODES[each].word}</strong> <span className="faint">{MODES[each].says}</span>
            </label>
          ))}
        </fieldset>
        <ChoiceField
          label="for"
          required
          value={key}
          change={setKey}
          choices={[...new Set([...levels, "all", ...(set ? [set] : [])])].map((each) => ({
            value: each,
            label: reachOf(each),
          }))}
        />
        <TextField
          label="why"
          required
          focus
          value={reason}
          change={setReason}
          hint="something is off with DNS"
        />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}

function deedOf(key: string, mode: Mode, reason: string): Deed {
  const where = key === "all" ? "--all" : `--scope ${key.replace("scope:", "")}`;
  const command =
    mode === "run"
      ? `setpoint resume ${where}`
      : `setpoint pause ${where} --mode ${mode} --reason ${quoted(reason || "…")}`;
  const path = at("/v1/switches/{key}", { key }).replace(/%2F/g, "/").replace(/%3A/g, ":");
  return { method: "PUT", path, body: { mode, reason }, command };
}
