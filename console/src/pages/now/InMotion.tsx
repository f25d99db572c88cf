// What is on its way: tasks with their steps, then objects that are not there yet.
import { Link } from "@tanstack/react-router";
import { titled } from "@/api/kinds";
import type { Entity } from "@/api/shapes";
import type { Task } from "@/api/tasks";
import { keepScope } from "@/scope/scope";
import { Ago } from "@/ui/Ago";
import { EntityLink } from "@/ui/EntityLink";
import { Steps } from "@/ui/Steps";

const SHOWN = 12;

export function InMotion({ objects, tasks, total }: { objects: Entity[]; tasks: Task[]; total: number }) {
  if (objects.length === 0 && tasks.length === 0) return null;
  const ofTask = new Map(objects.map((each) => [each.metadata.ref, each]));
  const shown = objects
    .filter((each) => !tasks.some((task) => task.target === each.metadata.ref))
    .slice(0, SHOWN);
  const left = Math.max(total, objects.length) - shown.length - tasks.length;
  return (
    <section aria-label="in motion">
      <h2>In motion</h2>
      <ul className="motion">
        {tasks.slice(0, SHOWN).map((task) => (
          <li key={task.id}>
            <span className="what cut">
              <Link to={"/tasks/$id" as never} params={{ id: task.id } as never} search={keepScope}>
                {titled(task.pipeline)}
              </Link>{" "}
              {ofTask.has(task.target) && <EntityLink entity={ofTask.get(task.target) as Entity} />}
            </span>
            <Steps done={task.steps_done} all={task.steps} now={task.step} />
            <span className="faint cut">{task.reason}</span>
            <Ago at={task.created_at} />
          </li>
        ))}
        {shown.map((each) => (
          <li key={each.metadata.ref}>
            <span className="what cut">
              <span className="faint">{titled(each.kind)}</span> <EntityLink entity={each} />
            </span>
            <span className="moving" aria-hidden />
            <span className="faint cut" title={each.status.reason}>
              {each.status.reason}
            </span>
            <Ago at={each.status.since} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Link
          to={"/inventory" as never}
          search={((known: { scope?: string }) => ({ scope: known.scope, state: "PENDING" })) as never}
        >
          and {left} more
        </Link>
      )}
    </section>
  );
}
