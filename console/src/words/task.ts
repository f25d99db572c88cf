// What can be said to a task now, and why not. Pure.
import type { Task } from "@/api/tasks";

type Known = Pick<Task, "id" | "state" | "cancelled">;

export function whyNotCancel(task: Known): string {
  if (task.state === "done" || task.state === "failed") return `it is ${task.state}`;
  return task.cancelled ? `already cancelled ${task.cancelled}` : "";
}

/** `later` are those of the same target and sort that began after it. */
export function whyNotRetry(task: Known, later: Known[]): string {
  if (task.state === "done") return "nothing failed";
  if (task.state !== "failed") return "it is under way, and tries again by itself";
  return later.length ? "it was begun once more already: see the newest of its sort" : "";
}
