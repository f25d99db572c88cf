// How many plans wait for a person here.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { plansQuery } from "@/api/plans";
import { holds, keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";

export function InboxCount() {
  const scope = useScope();
  const { data } = useQuery({
    ...plansQuery(scope.organization ?? "", "held"),
    // Those of this place, as the inbox shows them.
    select: ({ items, next_page_token }) =>
      `${items.filter((plan) => holds(scope, plan.metadata)).length}${next_page_token ? "+" : ""}`,
  });
  const says =
    data === undefined
      ? "plans that wait for a person"
      : `${data} ${data === "1" ? "plan waits" : "plans wait"} for a person`;
  return (
    <Link
      to={"/inbox" as never}
      search={keepScope}
      className={`inbox tone-${data && data !== "0" ? "orange" : "gray"}`}
      aria-label={says}
      title={says}
    >
      <Inbox size={16} aria-hidden /> <span className="number">{data ?? "…"}</span>
    </Link>
  );
}
