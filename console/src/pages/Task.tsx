// One task: steps as lanes on a time axis, every attempt with its error and what to do, and how the last ones went.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { taskQuery, tasksQuery, type WholeTask } from "@/api/tasks";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { useKeys } from "@/ui/keys";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge } from "@/ui/StateBadge";
import { stuck } from "@/words/lanes";
import { saidOfRetry, whyNotCancel, whyNotRetry } from "@/words/task";
import { Earlier } from "./task/Earlier";
import { Lanes, short } from "./task/Lanes";
import { Order, type Word } from "./task/Order";
import { Story } from "./task/Story";
import { TASK_STATES } from "./task/states";
import { Target } from "./task/Target";
import "./task/task.css";

export default function Task() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { organization = "" } = useScope();
  const query = useQuery(taskQuery(organization, id));
  if (!query.data)
    return (
      <div className="page">
        <QueryProblem query={query} loading />
      </div>
    );
  return <Shown task={query.data} />;
}

function Shown({ task }: { task: WholeTask }) {
  const now = useNow();
  const [word, setWord] = useState<Word | null>(null);
  const scope = useScope();
  const over = task.state === "done" || task.state === "failed";
  const forbidden = useWhyNot("execute", "organization.task", { organization: scope.organization });
  const tasks = useQuery(tasksQuery(scope.organization ?? "")).data ?? [];
  const later = tasks.filter(
    (each) => each.target === task.target && each.pipeline === task.pipeline && each.id > task.id,
  );
  const waits = task.usual_steps[task.step];
  const noCancel = whyNotCancel(task) || forbidden;
  const noRetry = whyNotRetry(task, later) || forbidden;
  useKeys("task", [
    { keys: "c", says: "cancel it", do: () => !noCancel && setWord("cancel") },
    { keys: "r", says: "begin it once more", do: () => !noRetry && setWord("retry") },
  ]);
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
        <Button
          look={task.state === "failed" ? "main" : "plain"}
          keys="r"
          whyNot={noRetry}
          onClick={() => setWord("retry")}
        >
          {task.retry?.stands.length ? `Retry from ${task.retry.from}` : "Retry"}
        </Button>
        <Button look="danger" keys="c" whyNot={noCancel} onClick={() => setWord("cancel")}>
          Cancel
        </Button>
      </header>
      <p className={task.error ? "tone-red" : ""}>{task.reason}</p>
      {!over && (
        <p className="faint">
          {task.due_at && (
            <>
              next try <Ago at={task.due_at} />
              {waits && "; "}
            </>
          )}
          {waits &&
            `${task.step} usually takes ${short(waits.p50)}, nearly always less than ${short(waits.p99)}`}
        </p>
      )}
      {stuck(task, now) && (
        <p className="tone-orange">
          ! It takes longer than ninety-nine in a hundred of its sort: look at its last word.
        </p>
      )}
      {task.state === "failed" && (
        <p className="faint">
          {task.reason.startsWith("could not undo")
            ? "Part of what it made is still there, with our mark on it."
            : "Nothing has to be cleaned up by hand."}{" "}
          Retry begins it once more. {saidOfRetry(task.retry)} Its object asks for it again by itself after a
          while, or when its declaration changes.
        </p>
      )}
      <Lanes task={task} />
      <Story task={task} />
      <Earlier task={task} />
      {word && <Order task={task} word={word} close={() => setWord(null)} />}
    </div>
  );
}
