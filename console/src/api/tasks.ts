// Long work: tasks of pipelines, step by step, and how the last ones of the same sort went.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { at, get } from "./request";
import type { Page } from "./shapes";

export type TaskState = "queued" | "running" | "waiting" | "undoing" | "done" | "failed";

export interface Task {
  id: string;
  pipeline: string;
  target: string;
  state: TaskState;
  step: string;
  steps: string[];
  steps_done: string[];
  attempts: number;
  due_at: string | null;
  reason: string;
  error: string;
  asked_by: string;
  created_at: string;
  changed_at: string;
  cancelled: string;
}

export interface Turn {
  step: string;
  state: TaskState;
  said: string;
  first: string;
  last: string;
  times: number;
}

export interface Run {
  id: string;
  target: string;
  state: TaskState;
  seconds: number;
  created_at: string;
  error: string;
}

export interface Usual {
  p50: number;
  p99: number;
}

/** From which step it would go on if it were begun once more, and which steps stand as they are. */
export interface Retry {
  from: string;
  stands: string[];
}

export interface WholeTask extends Task {
  retry: Retry | null;
  story: Turn[];
  earlier: Run[];
  usual: Usual | null;
  usual_steps: Record<string, Usual>;
}

export interface TasksPage extends Page<Task> {
  /** By pipeline, from our own history; on the first page only. */
  usual: Record<string, Usual>;
}

/** The newest. */
export function tasksQuery(organization: string) {
  return queryOptions({
    queryKey: ["tasks", organization],
    queryFn: () =>
      get<Page<Task>>(at("/v1/organizations/{organization}/tasks", { organization }), { page_size: 50 }),
    enabled: Boolean(organization),
    select: (page) => page.items,
  });
}

/** All of them, page after page. */
export function everyTaskQuery(organization: string) {
  return infiniteQueryOptions({
    queryKey: ["tasks", organization, "every"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      get<TasksPage>(
        at("/v1/organizations/{organization}/tasks", { organization }),
        { page_size: 100, page_token: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.next_page_token || undefined,
    enabled: Boolean(organization),
  });
}

export function taskQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ["task", organization, id],
    queryFn: ({ signal }) =>
      get<WholeTask>(at("/v1/organizations/{organization}/tasks/{id}", { organization, id }), {}, signal),
    enabled: Boolean(organization && id),
  });
}
