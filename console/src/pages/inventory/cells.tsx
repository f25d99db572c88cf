// What a row of the inventory shows; which columns, the address says.
import { titled, valueAt } from "@/api/kinds";
import type { Entity } from "@/api/shapes";
import { Ago } from "@/ui/Ago";
import { EntityLink } from "@/ui/EntityLink";
import { Reason } from "@/ui/Reason";
import { StateBadge } from "@/ui/StateBadge";
import type { Column } from "@/ui/Table";
import { type Choosable, headed } from "@/words/columns";
import { said } from "@/words/difference";

type Drawn = Omit<Column<Entity>, "key" | "title">;

export function columnsOf(shown: string[], all: Choosable[], here: string): Column<Entity>[] {
  const titles = new Map(all.map((each) => [each.key, each.title]));
  const chosen = shown.map((key) => ({
    key,
    title: titles.get(key) ?? headed(key.split(".").at(-1) ?? key),
    ...drawn(key, here),
  }));
  return [
    { key: "state", title: "State", width: "128px", cell: (row) => <StateBadge state={row.status.state} /> },
    {
      key: "name",
      title: "Name",
      width: "minmax(130px, 1.2fr)",
      order: "name",
      cell: (row) => <EntityLink entity={row} reach={false} />,
    },
    ...chosen,
  ];
}

function drawn(key: string, here: string): Drawn {
  switch (key) {
    case "kind":
      return {
        width: "minmax(100px, 140px)",
        cell: (row) => <span className="faint">{titled(row.kind)}</span>,
      };
    case "place":
      return {
        width: "minmax(108px, 1fr)",
        cell: (row) => <span className="faint">{whereOf(row, here)}</span>,
      };
    case "reason":
      return { width: "minmax(200px, 3fr)", cell: (row) => <Reason status={row.status} since={false} /> };
    case "since":
      return { width: "104px", cell: (row) => <Ago at={row.status.since} /> };
    case "changed":
      return { width: "104px", order: "changed", cell: (row) => <Ago at={row.metadata.changed_at} /> };
    case "by":
      return { width: "minmax(90px, 1fr)", cell: (row) => row.metadata.changed_by };
    case "labels":
      return {
        width: "minmax(110px, 1fr)",
        cell: ({ metadata }) => (
          <span className="faint">
            {Object.entries(metadata.labels)
              .map(([name, value]) => `${name}=${value}`)
              .join(" ")}
          </span>
        ),
      };
    default:
      return {
        width: "minmax(112px, 1fr)",
        cell: (row) => <span className="mono">{said(valueAt(row, key))}</span>,
      };
  }
}

function whereOf({ metadata }: Entity, here: string): string {
  const place = [metadata.organization, metadata.project, metadata.workspace].filter(Boolean).join("/");
  return place === here ? "here" : place.startsWith(`${here}/`) ? place.slice(here.length + 1) : place;
}
