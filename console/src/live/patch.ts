// What an event changes in what is already on screen. Pure: cached data and an event in, new data out.
import type { InfiniteData } from "@tanstack/react-query";
import type { Entity, Page, Told } from "@/api/shapes";

/** An object as read before, as it is now; the same value where the event is not about it. */
export function patchedEntity(known: Entity | undefined, told: Told): Entity | undefined {
  if (!known?.metadata || known.metadata.ref !== told.ref || !told.object) return known;
  return newer(told.object, known) ? told.object : known;
}

export function patchedPages(
  known: InfiniteData<Page<Entity>> | undefined,
  told: Told,
): InfiniteData<Page<Entity>> | undefined {
  if (!known?.pages.some((page) => page.items.some((item) => item.metadata.ref === told.ref))) return known;
  return { ...known, pages: known.pages.map((page) => patchedPage(page, told)) };
}

function patchedPage(page: Page<Entity>, told: Told): Page<Entity> {
  if (!page.items.some((item) => item.metadata.ref === told.ref)) return page;
  const items = told.object
    ? page.items.map((item) => patchedEntity(item, told) as Entity)
    : page.items.filter((item) => item.metadata.ref !== told.ref);
  return { ...page, items };
}

/** Events carry the object as it was when they were sent; an answer read meanwhile may be newer. */
function newer(one: Entity, other: Entity): boolean {
  if (one.metadata.generation !== other.metadata.generation)
    return one.metadata.generation > other.metadata.generation;
  return (one.status.observed_at ?? "") >= (other.status.observed_at ?? "");
}

/** Which questions an event makes worth asking again, by the first word of their key. */
export function stale(told: Told): string[] {
  const [subject] = told.type.split(".");
  const found = ["summary", "attention"];
  if (subject === "switch") found.push("switches");
  if (subject === "plan" || subject === "approval") found.push("plans", "plan");
  if (subject === "task") found.push("tasks", "task", "operations");
  if (subject === "act" || subject === "entity") found.push("plans", "why", "history");
  return found;
}
