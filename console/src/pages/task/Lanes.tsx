// Steps as lanes on one time axis; quiet times are folded and say how long they were.
import type { WholeTask } from "@/api/tasks";
import { useNow } from "@/ui/Ago";
import { Badge } from "@/ui/StateBadge";
import { axisOf, type Lane } from "@/words/lanes";
import type { Tone } from "@/words/state";
import { span } from "@/words/time";

const STATES: Record<Lane["state"], { symbol: string; tone: Tone; word: string }> = {
  done: { symbol: "=", tone: "green", word: "done" },
  failed: { symbol: "✗", tone: "red", word: "failed" },
  running: { symbol: "▸", tone: "blue", word: "running" },
  waiting: { symbol: "…", tone: "yellow", word: "waiting" },
  undone: { symbol: "↶", tone: "orange", word: "undone" },
  "to come": { symbol: "", tone: "gray", word: "to come" },
};
const NARROWEST = 0.4;

export function Lanes({ task }: { task: WholeTask }) {
  const axis = axisOf(task, useNow());
  return (
    <section className="card task-lanes" aria-label="steps">
      <div className="task-lane task-lane-head faint">
        <span>step</span>
        <span className="number">
          0 s to {short(axis.seconds)}
          {task.usual && <> · usually {short(task.usual.p50)}</>}
        </span>
        <span className="task-lane-took">took</span>
      </div>
      {axis.lanes.map((lane) => (
        <div className="task-lane" key={lane.step}>
          <span className="row lane-name">
            <strong>{lane.step}</strong>
            <Badge {...STATES[lane.state]} />
          </span>
          <span className="task-lane-track">
            {axis.folds.map((fold) => (
              <span
                key={fold.at}
                className="task-lane-fold"
                style={{ left: `${fold.at * 100}%` }}
                title={`${span(fold.seconds)} quiet`}
              />
            ))}
            {lane.bars.map((bar) => (
              <span
                key={`${bar.from} ${bar.said}`}
                className={`task-lane-bar tone-${toneOf(bar.state, bar.said)}`}
                title={`${bar.said}${bar.times > 1 ? `, ${bar.times} times` : ""}`}
                style={{
                  left: `${bar.from * 100}%`,
                  width: `${Math.max(NARROWEST, (bar.to - bar.from) * 100)}%`,
                }}
              />
            ))}
          </span>
          <span className="number faint task-lane-took">
            {lane.bars.length ? short(lane.seconds) : ""}
            {task.usual_steps[lane.step] && <> · usually {short(task.usual_steps[lane.step]?.p50 ?? 0)}</>}
          </span>
        </div>
      ))}
      {axis.folds.length > 0 && (
        <p className="faint">folded: {axis.folds.map((fold) => `${span(fold.seconds)} quiet`).join(", ")}</p>
      )}
    </section>
  );
}

function toneOf(state: string, said: string): Tone {
  if (state === "failed" || state === "undoing") return "red";
  if (state === "waiting") return said.includes("failed") ? "orange" : "yellow";
  return state === "done" || said.endsWith(" done") ? "green" : "blue";
}

export const short = (seconds: number) =>
  seconds < 1 ? `${Math.round(Math.max(0, seconds) * 1000)} ms` : span(seconds);
