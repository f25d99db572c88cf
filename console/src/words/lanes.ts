// A task on a time axis: each step a lane, long quiet times folded. Pure: a task in, lanes and folds out.
import type { TaskState, WholeTask } from "@/api/tasks";

export interface Bar {
  from: number;
  to: number;
  state: TaskState;
  said: string;
  times: number;
}

export interface Lane {
  step: string;
  state: "done" | "failed" | "running" | "waiting" | "undone" | "to come";
  bars: Bar[];
  seconds: number;
}

export interface Fold {
  /** Where on the axis, from 0 to 1. */
  at: number;
  seconds: number;
}

export interface Axis {
  lanes: Lane[];
  folds: Fold[];
  seconds: number;
}

const QUIET_SECONDS = 60;
const FOLDED_SHARE = 0.06;

export function axisOf(task: WholeTask, now: number): Axis {
  const begun = Date.parse(task.created_at);
  const open = task.state !== "done" && task.state !== "failed";
  const end = Math.max(open ? now : Date.parse(task.changed_at), begun + 1);
  const lanes = lanesOf(task, begun, end, open);
  const moments = [
    begun,
    ...task.story.flatMap((turn) => [Date.parse(turn.first), Date.parse(turn.last)]),
    end,
  ];
  const scale = scaled([...new Set(moments)].sort((one, other) => one - other));
  return {
    lanes: lanes.map((lane) => ({
      ...lane,
      bars: lane.bars.map((bar) => ({ ...bar, from: scale.place(bar.from), to: scale.place(bar.to) })),
    })),
    folds: scale.folds,
    seconds: (end - begun) / 1000,
  };
}

function lanesOf(task: WholeTask, begun: number, end: number, open: boolean): Lane[] {
  const names = [...new Set([...task.steps, ...task.story.map((turn) => turn.step)])].filter(Boolean);
  let before = begun;
  const bars = new Map<string, Bar[]>(names.map((name) => [name, []]));
  for (const turn of task.story) {
    const to = Date.parse(turn.last);
    bars.get(turn.step)?.push({ from: before, to, state: turn.state, said: turn.said, times: turn.times });
    before = to;
  }
  if (open && task.step)
    bars.get(task.step)?.push({ from: before, to: end, state: task.state, said: task.reason, times: 1 });
  return names.map((step) => {
    const own = bars.get(step) ?? [];
    return {
      step,
      state: laneState(task, step, own, open),
      bars: own,
      seconds: own.reduce((sum, bar) => sum + (bar.to - bar.from) / 1000, 0),
    };
  });
}

function laneState(task: WholeTask, step: string, bars: Bar[], open: boolean): Lane["state"] {
  if (task.steps_done.includes(step)) return "done";
  if (open && task.step === step) return task.state === "running" ? "running" : "waiting";
  if (bars.some((bar) => bar.said.startsWith("undone"))) return "undone";
  return bars.length && !open ? "failed" : "to come";
}

/** Times where nothing happens for long take a small part of the axis, and say how long they were. */
function scaled(moments: number[]): { place: (at: number) => number; folds: Fold[] } {
  const gaps = moments.slice(1).map((to, index) => (to - (moments[index] ?? to)) / 1000);
  const busy = gaps.filter((gap) => gap < QUIET_SECONDS).reduce((sum, gap) => sum + gap, 0);
  const quiet = gaps.filter((gap) => gap >= QUIET_SECONDS).length;
  const every = quiet === gaps.length;
  const folded = every ? 0 : Math.min(FOLDED_SHARE * quiet, 0.5);
  const total = gaps.reduce((sum, gap) => sum + gap, 0) || 1;
  const places = [0];
  const folds: Fold[] = [];
  for (const gap of gaps) {
    const from = places.at(-1) ?? 0;
    const isQuiet = gap >= QUIET_SECONDS && !every;
    const wide = every ? gap / total : isQuiet ? folded / quiet : (gap / (busy || 1)) * (1 - folded);
    places.push(from + wide);
    if (isQuiet) folds.push({ at: from + wide / 2, seconds: gap });
  }
  const place = (at: number) => {
    const index = moments.findIndex((moment) => moment >= at);
    return index < 0 ? 1 : Math.min(1, places[index] ?? 1);
  };
  return { place, folds };
}

/** Longer than ninety-nine in a hundred of its sort. */
export function stuck(task: Pick<WholeTask, "created_at" | "state" | "usual">, now: number): boolean {
  if (!task.usual || task.state === "done" || task.state === "failed") return false;
  return (now - Date.parse(task.created_at)) / 1000 > Math.max(5, task.usual.p99);
}
