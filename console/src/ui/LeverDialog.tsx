// A lever: how much may happen where it reaches. Asked once, with a reason, in force when the request returns.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useWhyNot } from "@/api/access";
import { at } from "@/api/request";
import type { Mode } from "@/api/shapes";
import { useLive } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { type Deed, quoted } from "@/words/deed";
import { MODES, reachOf } from "@/words/state";
import { ChoiceField } from "./ChoiceField";
import { Dialog } from "./Dialog";
import { ShowAs } from "./ShowAs";
import { useProven } from "./StepUp";
import { TextField } from "./TextField";

interface Props {
  title: string;
  /** Where it may reach; the first is chosen. */
  keys: string[];
  mode: Mode;
  close: () => void;
  children?: ReactNode;
}

export function LeverDialog({ title, keys, mode, close, children }: Props) {
  const scope = useScope();
  const [key, setKey] = useState(keys[0] ?? "all");
  const [wanted, setWanted] = useState<Mode>(mode === "run" ? "stop" : "run");
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const { flipped } = useLive();
  const forbidden = useWhyNot("execute", "organization.switch", key.startsWith("scope:") ? scope : {});
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
        title={title}
        close={close}
        does={wanted === "run" ? "Let it run" : `Set to ${MODES[wanted].word}`}
        danger={wanted !== "run"}
        submit={() => put.mutate()}
        busy={put.isPending}
        whyNot={whyNot}
        error={put.error}
      >
        {children}
        <fieldset className="modes">
          <legend>mode</legend>
          {(Object.keys(MODES) as Mode[]).map((each) => (
            <label key={each} className={`tone-${MODES[each].tone}`}>
              <input type="radio" name="mode" checked={each === wanted} onChange={() => setWanted(each)} />
              <strong>{MODES[each].word}</strong> <span className="faint">{MODES[each].says}</span>
            </label>
          ))}
        </fieldset>
        {keys.length > 1 && (
          <ChoiceField
            label="for"
            required
            value={key}
            change={setKey}
            choices={keys.map((each) => ({ value: each, label: reachOf(each) }))}
          />
        )}
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
  const [sort, place] = key.split(/:(.*)/);
  const where = key === "all" ? "--all" : `--${sort} ${place}`;
  const command =
    mode === "run"
      ? `setpoint resume ${where}`
      : `setpoint pause ${where} --mode ${mode} --reason ${quoted(reason || "…")}`;
  const path = at("/v1/switches/{key}", { key }).replace(/%2F/g, "/").replace(/%3A/g, ":");
  return { method: "PUT", path, body: { mode, reason }, command };
}
