// A lever: how much may happen where it reaches. Asked once, with a reason, in force when the request returns.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useWhyNot } from "@/api/access";
import type { Mode } from "@/api/shapes";
import { useLive } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { leverDeed } from "@/words/lever";
import { MODES, reachOf, USUAL_REASONS } from "@/words/state";
import { ChoiceField } from "./ChoiceField";
import { Dialog } from "./Dialog";
import { ShowAs } from "./ShowAs";
import { useProven } from "./StepUp";
import { TextField } from "./TextField";

interface Props {
  title: string;
  /** Where it may reach; the first is chosen. */
  keys: string[];
  /** What is chosen when it opens. */
  wanted: Mode;
  close: () => void;
  children?: ReactNode;
  /** Why an earlier try was refused. */
  error?: unknown;
}

export function LeverDialog({ title, keys, wanted: first, close, children, error }: Props) {
  const scope = useScope();
  const [key, setKey] = useState(keys[0] ?? "all");
  const [wanted, setWanted] = useState<Mode>(first);
  const [typed, setTyped] = useState<string>();
  const reason = typed ?? USUAL_REASONS[wanted];
  const client = useQueryClient();
  const { flipped } = useLive();
  const forbidden = useWhyNot("execute", "organization.switch", key.startsWith("scope:") ? scope : {});
  const { send, dialog } = useProven();
  const deed = leverDeed(key, wanted, reason);
  const put = useMutation({
    mutationFn: () => send("PUT", deed.path, { body: deed.body }),
    onSuccess: async () => {
      flipped();
      await client.invalidateQueries({ queryKey: ["switches"] });
      close();
    },
  });
  const whyNot = forbidden || (reason.trim() ? "" : "say why: everybody reads it, and the audit keeps it");
  return (
    <>
      <Dialog
        open
        title={title}
        close={close}
        does={MODES[wanted].does}
        danger={wanted !== "run"}
        submit={() => put.mutate()}
        busy={put.isPending}
        whyNot={whyNot}
        error={put.error ?? error}
      >
        {children}
        <fieldset className="modes">
          <legend>mode</legend>
          {(Object.keys(MODES) as Mode[]).map((each) => (
            <label key={each} className={`tone-${MODES[each].tone}`}>
              <input type="radio" name="mode" checked={each === wanted} onChange={() => setWanted(each)} />
              <strong>
                {MODES[each].symbol} {MODES[each].word}
              </strong>{" "}
              <span className="faint">{MODES[each].says}</span>
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
          change={setTyped}
          hint="what happened, or what you are doing"
        />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}
