// Events and declarations of one object on one line of time, newest first; the same said again is folded.
import type { Past, Why } from "@/api/entity";
import type { State } from "@/api/shapes";
import { STATES, type Tone } from "./state";
import { millisecondsOf } from "./time";

export interface Moment {
  key: string;
  at: string | number;
  word: string;
  message: string;
  tone: Tone;
  times: number;
}

const TONES: Record<string, Tone> = {
  "entity.config_changed": "blue",
  "act.done": "green",
  "act.failed": "red",
  "plan.held": "orange",
  "task.failed": "red",
};

export function timeline(events: Why["evidence"]["events"], pasts: Past[]): Moment[] {
  const told: Moment[] = events
    .filter((each) => each.type !== "entity.config_changed")
    .map((each) => ({
      key: `event ${each.revision}`,
      at: each.at,
      word: each.type.replace(/^entity\./, "").replace(/[._]/g, " "),
      message: each.message,
      tone: TONES[each.type] ?? "gray",
      times: 1,
    }));
  const declared: Moment[] = pasts.map((past) => ({
    key: `generation ${past.generation}`,
    at: past.at,
    word: `generation ${past.generation}`,
    message: `${past.verb} by ${past.by}${fields(past)}`,
    tone: "blue",
    times: 1,
  }));
  const sorted = [...told, ...declared].sort(
    (one, other) => millisecondsOf(other.at) - millisecondsOf(one.at),
  );
  return folded(sorted);
}

function fields(past: Past): string {
  const names = past.changed.map((each) => each.field.replace(/^spec\./, ""));
  if (names.length === 0) return "";
  return `: ${names.slice(0, 4).join(", ")}${names.length > 4 ? ` and ${names.length - 4} more` : ""}`;
}

function folded(moments: Moment[]): Moment[] {
  const found: Moment[] = [];
  for (const each of moments) {
    const last = found.at(-1);
    if (last && last.word === each.word && last.message === each.message) last.times += 1;
    else found.push({ ...each });
  }
  return found;
}

export const toneOf = (state: State): Tone => STATES[state].tone;
