// How many plans wait for a person here.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { at, get } from "@/api/request";
import type { Page } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { keepScope } from "@/ui/Palette";

const MOST = 100;

export function InboxCount() {
  const { organization = "" } = useScope();
  const { data } = useQuery({
    queryKey: ["plans", organization, "held"],
    queryFn: () =>
      get<Page<unknown>>(at("/v1/organizations/{organization}/plans", { organization }), {
        state: "held",
        view: "short",
        page_size: MOST,
      }),
    enabled: Boolean(organization),
    select: (page) => (page.next_page_token ? `${MOST}+` : String(page.items.length)),
  });
  const says = `${data ?? "?"} plans wait for a person`;
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
