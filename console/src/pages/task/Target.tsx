// What a task is about: its name as a link where it is still declared, else its ref.
import { useQuery } from "@tanstack/react-query";
import { titled } from "@/api/kinds";
import { get } from "@/api/request";
import type { Entity, Page } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { EntityLink } from "@/ui/EntityLink";

export function Target({ target, asked }: { target: string; asked: string }) {
  const { organization = "" } = useScope();
  const [kind = ""] = target.split("/");
  const name = asked.startsWith(`${kind} `) ? asked.slice(kind.length + 1) : "";
  const found = useQuery({
    queryKey: ["inventory", "target", organization, target],
    queryFn: ({ signal }) =>
      get<Page<Entity>>(
        `/v1/organizations/${encodeURIComponent(organization)}/inventory`,
        { kind, text: name, page_size: 20 },
        signal,
      ),
    enabled: Boolean(organization && name),
    select: (page) => page.items.find((item) => item.metadata.ref === target),
  });
  return (
    <span>
      <span className="faint">{titled(kind)}</span>{" "}
      {found.data ? <EntityLink entity={found.data} /> : <span title={target}>{name || target}</span>}
    </span>
  );
}
