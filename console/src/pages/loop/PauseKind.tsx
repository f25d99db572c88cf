// The lever of one kind: how much its loop may do, everywhere.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { titled } from "@/api/kinds";
import { at } from "@/api/request";
import type { Mode } from "@/api/shapes";
import { useLive } from "@/live/live";
import { Dialog } from "@/ui/Dialog";
import { ChoiceField, TextField } from "@/ui/Field";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { type Deed, quoted } from "@/words/deed";
import { MODES } from "@/words/state";

export function PauseKind({ kind, mode, close }: { kind: string; mode: Mode; close: () => void }) {
  const [wanted, setWanted] = useState<Mode>(mode === "run" ? "stop" : "run");
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const { flipped } = useLive();
  const { send, dialog } = useProven();
  const forbidden = useWhyNot("execute", "organization.switch", {});
  const deed = deedOf(kind, wanted, reason);
  const put = useMutation({
    mutationFn: () => send("PUT", deed.path, { body: deed.body }),
    onSuccess: async () => {
      flipped();
      await client.invalidateQueries({ queryKey: ["switches"] });
      close();
    },
  });
  return (
    <>
      <Dialog
        open
        title={`How much may happen to every ${titled(kind)}`}
        close={close}
        does={wanted === "run" ? "Let it run" : `Set to ${MODES[wanted].word}`}
        danger={wanted !== "run"}
        submit={() => put.mutate()}
        busy={put.isPending}
        whyNot={
          forbidden || (reason.trim() ? "" : "say why: everybody reads it, and it is kept in the audit")
        }
        error={put.error}
      >
        <p className="faint">In all organizations of this installation, until somebody lets it run again.</p>
        <ChoiceField
          label="mode"
          required
          value={wanted}
          change={(next) => setWanted(next as Mode)}
          choices={(Object.keys(MODES) as Mode[]).map((each) => ({
            value: each,
            label: `${MODES[each].word}: ${MODES[each].says}`,
          }))}
        />
        <TextField label="why" required focus value={reason} change={setReason} />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}

function deedOf(kind: string, mode: Mode, reason: string): Deed {
  const key = `kind:${kind}`;
  return {
    method: "PUT",
    path: at("/v1/switches/{key}", { key }).replace(/%3A/g, ":"),
    body: { mode, reason },
    command:
      mode === "run"
        ? `setpoint resume --kind ${kind}`
        : `setpoint pause --kind ${kind} --mode ${mode} --reason ${quoted(reason || "WHY")}`,
  };
}
