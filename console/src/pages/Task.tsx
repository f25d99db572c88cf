// One task: steps as lanes on a time axis, every attempt with its error and what to do, and how the last ones went.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { cancelPath, taskQuery, type WholeTask } from "@/api/tasks";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { useKeys } from "@/ui/keys";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { Badge } from "@/ui/StateBadge";
import { useProven } from "@/ui/StepUp";
import { quoted } from "@/words/deed";
import { stuck } from "@/words/lanes";
import { Earlier } from "./task/Earlier";
import { Lanes } from "./task/Lanes";
import { Story } from "./task/Story";
import { TASK_STATES } from "./task/states";
import { Target } from "./task/Target";
import "./task/task.css";

export default function Task() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { organization = "" } = useScope();
  const query = useQuery(taskQuery(organization, id));
  if (query.error) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <div className="page faint">one moment …</div>;
  return <Shown task={query.data} />;
}

function Shown({ task }: { task: WholeTask }) {
  const now = useNow();
  const [stopping, setStopping] = useState(false);
  const scope = useScope();
  const over = task.state === "done" || task.state === "failed";
  const forbidden = useWhyNot("execute", "organization.task", { organization: scope.organization });
  const whyNot = over
    ? `it is ${task.state}`
    : task.cancelled
      ? `already cancelled ${task.cancelled}`
      : forbidden;
  useKeys("task", [{ keys: "c", says: "cancel it", do: () => !whyNot && setStopping(true) }]);
  return (
    <div className="page">
      <header>
        <h1>{task.pipeline}</h1>
        <Badge {...TASK_STATES[task.state]} />
        <Target target={task.target} asked={task.asked_by} />
        <span className="faint">
          asked by {task.asked_by} <Ago at={task.created_at} />
        </span>
        <span className="grow" />
        <Button look="danger" keys="c" whyNot={whyNot} onClick={() => setStopping(true)}>
          Cancel
        </Button>
      </header>
      <p className={task.error ? "tone-red" : ""}>{task.reason}</p>
      {task.due_at && !over && (
        <p className="faint">
          next try <Ago at={task.due_at} />
        </p>
      )}
      {stuck(task, now) && (
        <p className="tone-orange">
          ! It takes longer than ninety-nine in a hundred of its sort: look at its last word.
        </p>
      )}
      {task.state === "failed" && (
        <p className="faint">
          What it had done is undone. Its object asks for it again by itself when its declaration changes;
          nothing has to be cleaned up by hand.
        </p>
      )}
      <Lanes task={task} />
      <Story task={task} />
      <Earlier task={task} />
      {stopping && <Cancel task={task} close={() => setStopping(false)} />}
    </div>
  );
}

function Cancel({ task, close }: { task: WholeTask; close: () => void }) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const { send, dialog } = useProven();
  const path = cancelPath(organization, task.id);
  const cancel = useMutation({
    mutationFn: () => send("POST", path, { body: { reason } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["task"] });
      close();
    },
  });
  return (
    <>
      <Dialog
        open
        title={`Cancel ${task.pipeline}`}
        close={close}
        does="Cancel and undo"
        danger
        submit={() => cancel.mutate()}
        busy={cancel.isPending}
        error={cancel.error}
        whyNot={reason.trim() ? "" : "say why: it is kept in the audit"}
      >
        <p className="faint">
          It stops before its next step, and undoes what it did: {task.steps_done.join(", ") || "nothing yet"}
          .
        </p>
        <TextField label="why" required focus value={reason} change={setReason} />
        <ShowAs
          deed={{
            method: "POST",
            path,
            body: { reason },
            command: `setpoint cancel ${task.id} --reason ${quoted(reason || "WHY")}`,
          }}
        />
      </Dialog>
      {dialog}
    </>
  );
}
