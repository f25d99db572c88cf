// What a task is about: its name as a link where it is still declared, else its ref.
import { useQuery } from "@tanstack/react-query";
import { base, titled } from "@/api/kinds";
import { get } from "@/api/request";
import type { Entity, Page } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { EntityLink } from "@/ui/EntityLink";

export function Target({ target, asked }: { target: string; asked: string }) {
  const { organization = "" } = useScope();
  const [kind = ""] = target.split("/");
  const name = asked.startsWith(`${kind} `) ? asked.slice(kind.length + 1) : "";
  const found = useQuery({
    queryKey: ["target", organization, target],
    queryFn: ({ signal }) =>
      get<Page<Entity>>(
        `${base({ organization })}/inventory`,
        { kind, filter: `metadata.ref == "${target}"`, page_size: 1 },
        signal,
      ),
    // What delivers an event is about that event, which is no object.
    enabled: Boolean(organization && !target.includes(".")),
    select: (page) => page.items[0],
  });
  return (
    <span>
      <span className="faint">{titled(kind)}</span>{" "}
      {found.data ? <EntityLink entity={found.data} /> : <span title={target}>{name || target}</span>}
    </span>
  );
}
