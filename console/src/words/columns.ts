// Which columns a table of objects can have: those of every kind, and what the schema of one kind knows.
import { resolved, titled } from "@/api/kinds";
import type { Entity, Json, Kind, Schema } from "@/api/shapes";

export interface Choosable {
  key: string;
  title: string;
  about?: string;
}

export const ALWAYS = ["state", "name"];
export const USUAL: Choosable[] = [
  { key: "kind", title: "Kind" },
  { key: "place", title: "Where" },
  { key: "reason", title: "Reason" },
  { key: "since", title: "Since" },
  { key: "changed", title: "Declared" },
];
export const MORE: Choosable[] = [
  { key: "labels", title: "Labels" },
  { key: "by", title: "Declared by" },
  { key: "metadata.generation", title: "Generation" },
  { key: "metadata.protected", title: "Protected" },
];

/** All that can be chosen here; facts are those that the rows on screen have. */
export function choosable(kind: Kind | undefined, rows: Entity[]): Choosable[] {
  const own = Object.entries(kind?.columns ?? {}).map(([title, key]) => ({
    key,
    title: headed(title.toLowerCase()),
  }));
  const found = [...USUAL.filter((each) => !kind || each.key !== "kind"), ...own, ...MORE];
  if (!kind) return found;
  const known = new Set(found.map((each) => each.key));
  const fields = Object.entries(resolved(kind.schema, kind.schema).properties ?? {})
    .filter(([, schema]) => isPlain(resolved(schema, kind.schema)))
    .map(([name, schema]) => ({
      key: `spec.${name}`,
      title: headed(name),
      about: resolved(schema, kind.schema).description ?? schema.description,
    }));
  const facts = [...new Set(rows.slice(0, 50).flatMap((row) => factsOf(row.status.facts)))]
    .sort()
    .map((name) => ({ key: `status.facts.${name}`, title: headed(name), about: "as it was seen" }));
  return [...found, ...[...fields, ...facts].filter((each) => !known.has(each.key))];
}

/** Over a column: "Server id". */
export function headed(name: string): string {
  const title = titled(name);
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

/** In a cell: text, numbers, yes and no, and lists of these. */
function isPlain(schema: Schema): boolean {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  return type !== "object" && !(type === undefined && schema.properties);
}

const factsOf = (facts: Record<string, Json>): string[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    value !== null && typeof value === "object" ? [] : [name],
  );

/** Those that are shown, from the address; without it what the kind thinks best. */
export function shownOf(kind: Kind | undefined, chosen: string | undefined): string[] {
  if (chosen) return chosen.split(",").filter(Boolean);
  const own = Object.values(kind?.columns ?? {});
  const [place, ...rest] = ["place", "reason", "since", "changed"];
  return [...(kind ? [] : ["kind"]), place as string, ...own, ...rest];
}

/** The choice with one more or one less, in the order in which columns are offered. */
export function changed(shown: string[], all: Choosable[], key: string): string {
  const wanted = new Set(shown);
  if (!wanted.delete(key)) wanted.add(key);
  const order = all.map((each) => each.key);
  return [...wanted].sort((one, other) => place(order, one) - place(order, other)).join(",");
}

const place = (order: string[], key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
