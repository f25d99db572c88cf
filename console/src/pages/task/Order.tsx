// A word to a task, with a reason that is kept: stop and undo it, or begin it once more.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { at } from "@/api/request";
import type { WholeTask } from "@/api/tasks";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { quoted } from "@/words/deed";
import { saidOfRetry } from "@/words/task";

export type Word = "cancel" | "retry";

export function Order({ task, word, close }: { task: WholeTask; word: Word; close: () => void }) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [reason, setReason] = useState("");
  const { send, dialog } = useProven();
  const path = at(`/v1/organizations/{organization}/operations/{id}:${word}`, { organization, id: task.id });
  const give = useMutation({
    mutationFn: () => send<{ id: string }>("POST", path, { body: { reason } }),
    onSuccess: async (operation) => {
      await Promise.all(["task", "tasks"].map((word) => client.invalidateQueries({ queryKey: [word] })));
      close();
      if (operation.id !== task.id)
        await navigate({
          to: "/tasks/$id" as never,
          params: { id: operation.id } as never,
          search: keepScope,
        });
    },
  });
  return (
    <>
      <Dialog
        open
        title={word === "cancel" ? `Cancel ${task.pipeline}` : `Begin ${task.pipeline} once more`}
        close={close}
        does={word === "cancel" ? "Cancel and undo" : "Begin once more"}
        danger={word === "cancel"}
        submit={() => give.mutate()}
        busy={give.isPending}
        error={give.error}
        whyNot={reason.trim() ? "" : "say why: it is kept in the audit"}
      >
        <p className="faint">
          {word === "cancel"
            ? `It stops before its next step, and undoes what it did: ${task.steps_done.join(", ") || "nothing yet"}.`
            : `A new task with the same steps: ${task.steps.join(", ")}. ${saidOfRetry(task.retry)} The error was: ${task.error || task.reason}.`}
        </p>
        <TextField label="why" required focus value={reason} change={setReason} />
        <ShowAs
          deed={{
            method: "POST",
            path,
            body: { reason },
            command: `setpoint ${word} ${task.id} --reason ${quoted(reason || "WHY")}`,
          }}
        />
      </Dialog>
      {dialog}
    </>
  );
}
