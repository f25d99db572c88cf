// Rows that were chosen: one by one, or from one to another. Pure.
import type { Entity } from "@/api/shapes";

/** With this one chosen or no longer so; `from` is where a stretch began that ends here. */
export function toggled(
  chosen: ReadonlySet<string>,
  order: string[],
  key: string,
  from: string | null,
): Set<string> {
  const found = new Set(chosen);
  const [one, other] = [order.indexOf(from ?? ""), order.indexOf(key)];
  if (one >= 0 && other >= 0) {
    for (const each of order.slice(Math.min(one, other), Math.max(one, other) + 1)) found.add(each);
    return found;
  }
  if (!found.delete(key)) found.add(key);
  return found;
}

export interface Told {
  ref: string;
  allowed: boolean;
  why: string;
}

/** "37 chosen: 35 will be paused, 2 will not". */
export function previewed(told: Told[], done: string): string {
  const able = told.filter((each) => each.allowed).length;
  const rest = told.length - able;
  const parts = [`${able} will be ${done}`, ...(rest ? [`${rest} will not`] : [])];
  return `${told.length} chosen: ${parts.join(", ")}`;
}

/** Those that cannot be touched, by why: the same reason is said once. */
export function reasons(told: Told[], nameOf: (ref: string) => string): { why: string; names: string[] }[] {
  const found = new Map<string, string[]>();
  for (const each of told)
    if (!each.allowed) found.set(each.why, [...(found.get(each.why) ?? []), nameOf(each.ref)]);
  return [...found].map(([why, names]) => ({ why, names }));
}

/** In pieces that one request can ask about. */
export function sliced<T>(all: T[], size: number): T[][] {
  return all.length ? [all.slice(0, size), ...sliced(all.slice(size), size)] : [];
}

/** What a person types before several things go: never one key by mistake. */
export function demanded(rows: Entity[]): string {
  return `delete ${rows.length}`;
}
