// The same task, the last times: how each ended and how long it took, as bars.
import { Link } from "@tanstack/react-router";
import type { WholeTask } from "@/api/tasks";
import { keepScope } from "@/scope/scope";
import { Ago } from "@/ui/Ago";
import { short } from "./Lanes";
import { TASK_STATES } from "./states";

export function Earlier({ task }: { task: WholeTask }) {
  if (task.earlier.length === 0)
    return <p className="faint task-alone">It is the first {task.pipeline} here.</p>;
  const most = Math.max(...task.earlier.map((run) => run.seconds), 0.001);
  return (
    <section>
      <h2>
        The last {task.earlier.length} times{" "}
        {task.usual && (
          <span className="faint">
            usually {short(task.usual.p50)}, nearly always below {short(task.usual.p99)}
          </span>
        )}
      </h2>
      <ul className="plain card task-story">
        {task.earlier.map((run) => (
          <li key={run.id} className="row">
            <span className={`tone-${TASK_STATES[run.state].tone}`}>
              {TASK_STATES[run.state].symbol} {TASK_STATES[run.state].word}
            </span>
            <span className="task-run-track">
              <span
                className={`task-run-bar tone-${TASK_STATES[run.state].tone}`}
                style={{ width: `${(run.seconds / most) * 100}%` }}
              />
            </span>
            <span className="number task-run-took">{short(run.seconds)}</span>
            <Link to={"/tasks/$id" as never} params={{ id: run.id } as never} search={keepScope}>
              <Ago at={run.created_at} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
