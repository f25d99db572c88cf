// What is asked for while a page's own file is still on its way; the page then finds it answered.
import { activityQuery } from "@/api/activity";
import { client } from "@/api/client";
import { type Asked, askedOf, attentionQuery, inventoryQuery, summaryQuery } from "@/api/inventory";
import { kindsQuery } from "@/api/kinds";
import { namesQuery, ORGANIZATIONS } from "@/api/names";
import { plansQuery } from "@/api/plans";
import { switchesQuery } from "@/api/switches";
import { tasksQuery } from "@/api/tasks";
import { type Scope, scopeOf } from "@/scope/scope";

/** The pages that people open first. */
const PAGES: Record<string, (scope: Scope, asked: Asked) => void> = {
  "/now": (scope) => {
    void client.prefetchQuery(summaryQuery(scope));
    void client.prefetchQuery(attentionQuery(scope));
    void client.prefetchQuery(tasksQuery(scope.organization ?? ""));
    void client.prefetchQuery(activityQuery(scope));
  },
  "/inbox": ({ organization = "" }) => void client.prefetchQuery(plansQuery(organization, "held")),
  "/inventory": (scope, asked) => {
    void client.prefetchInfiniteQuery(inventoryQuery(scope, askedOf(asked)));
    void client.prefetchQuery(summaryQuery(scope));
    void client.prefetchQuery(kindsQuery);
  },
};

export function askAhead(path: string, search: Asked & { scope?: string }): void {
  const scope = scopeOf(search.scope);
  if (scope.organization) PAGES[path]?.(scope, search);
}

export function askAheadOfFrame(search: { scope?: string }): void {
  const { organization } = scopeOf(search.scope);
  void client.prefetchQuery(switchesQuery);
  // Names are for choosing among: the frame shows what is chosen without them.
  if (organization) void client.prefetchQuery(plansQuery(organization, "held"));
  else void client.prefetchQuery(namesQuery(ORGANIZATIONS));
}
