// Work of many steps.
import { queryOptions } from "@tanstack/react-query";
import { at, get } from "./request";
import type { Page } from "./shapes";

export interface Task {
  id: string;
  pipeline: string;
  target: string;
  state: "queued" | "running" | "waiting" | "undoing" | "done" | "failed";
  step: string;
  steps: string[];
  steps_done: string[];
  attempts: number;
  reason: string;
  error: string;
  created_at: string;
  changed_at: string;
}

export function tasksQuery(organization: string) {
  return queryOptions({
    queryKey: ["tasks", organization],
    queryFn: () =>
      get<Page<Task>>(at("/v1/organizations/{organization}/tasks", { organization }), { page_size: 50 }),
    enabled: Boolean(organization),
    select: (page) => page.items,
  });
}
