// Every turn with what it said; the same error again is one line with a count. What went well is folded, errors never are.
import type { Turn, WholeTask } from "@/api/tasks";
import { Ago } from "@/ui/Ago";
import { Badge } from "@/ui/StateBadge";
import { folded, isBad } from "@/words/story";
import { TASK_STATES } from "./states";

export function Story({ task }: { task: WholeTask }) {
  if (task.story.length === 0)
    return <p className="faint">Nothing of it is on record yet: it waits for a worker.</p>;
  return (
    <section>
      <h2>Attempts</h2>
      <ul className="plain task-story card">
        {folded(task.story).map((part) =>
          "turn" in part ? (
            <One key={keyOf(part.turn)} turn={part.turn} />
          ) : (
            <Quiet key={keyOf(part.quiet[0] as Turn)} turns={part.quiet} />
          ),
        )}
      </ul>
    </section>
  );
}

const keyOf = (turn: Turn) => turn.first + turn.step + turn.said;

function Quiet({ turns }: { turns: Turn[] }) {
  return (
    <li>
      <details>
        <summary className="faint">
          {turns.length} turns without trouble: {[...new Set(turns.map((turn) => turn.step))].join(", ")}
        </summary>
        <ul className="plain">
          {turns.map((turn) => (
            <One key={keyOf(turn)} turn={turn} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function One({ turn }: { turn: Turn }) {
  return (
    <li>
      <div className="row wrap">
        <strong>{turn.step}</strong>
        <Badge {...TASK_STATES[turn.said === `${turn.step} done` ? "done" : turn.state]} />
        <span className={isBad(turn) ? "tone-red grow" : "grow"}>{turn.said}</span>
        {turn.times > 1 && <span className="number">{turn.times} times</span>}
        <Ago at={turn.last} />
      </div>
      {isBad(turn) && <div className="faint">what to do: {cure(turn)}</div>}
    </li>
  );
}

/** What helps, by what was said. */
function cure({ said }: Turn): string {
  if (/longer than|timed? ?out|no answer|unreachable/.test(said))
    return "the provider is slow; it is tried again by itself";
  if (/401|403|denied|forbidden|credential|token/i.test(said))
    return "look at the provider's credential and its rights";
  if (/quota|limit|exhaust/i.test(said))
    return "raise the quota at the provider, or remove what is not needed";
  if (/could not undo/.test(said))
    return "what is left at the provider carries our mark; remove it there by hand";
  return "it is tried again by itself while that may help; else it is undone";
}
