// How a task stands, as a word with its symbol.
import type { TaskState } from "@/api/tasks";
import type { Tone } from "@/words/state";

export const TASK_STATES: Record<TaskState, { symbol: string; tone: Tone; word: string }> = {
  queued: { symbol: "…", tone: "gray", word: "queued" },
  running: { symbol: "▸", tone: "blue", word: "running" },
  waiting: { symbol: "…", tone: "yellow", word: "waiting" },
  undoing: { symbol: "↶", tone: "orange", word: "undoing" },
  done: { symbol: "=", tone: "green", word: "done" },
  failed: { symbol: "✗", tone: "red", word: "failed" },
};
