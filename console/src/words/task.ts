// What can be said to a task now, and why not. Pure.
import type { Retry, Task } from "@/api/tasks";

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

/** What beginning it once more does, and what of it stays. */
export function saidOfRetry(retry: Retry | null): string {
  if (!retry) return "Its steps are not known to this version.";
  if (retry.stands.length === 0)
    return `It begins at its first step, ${retry.from}: what it had made was undone, and nothing of it stands.`;
  return `It goes on from ${retry.from}; what ${retry.stands.join(", ")} did stands, and is not done again.`;
}
