// What an event changes in what is already on screen. Pure: cached data and an event in, new data out.
import type { InfiniteData } from "@tanstack/react-query";
import type { Summary } from "@/api/inventory";
import type { Entity, Page, State, Told } from "@/api/shapes";
import { STATES } from "@/words/state";

/** An object as read before, as it is now; the same value where the event is not about it. */
export function patchedEntity(known: Entity | undefined, told: Told): Entity | undefined {
  if (!known?.metadata || known.metadata.ref !== told.ref || !told.object) return known;
  return newer(told.object, known) ? told.object : known;
}

/** A list as it is now; `state` is the one that it is narrowed to: what left that state leaves the list. */
export function patchedPages(
  known: InfiniteData<Page<Entity>> | undefined,
  told: Told,
  state = "",
): InfiniteData<Page<Entity>> | undefined {
  if (!known?.pages.some((page) => page.items.some((item) => item.metadata.ref === told.ref))) return known;
  return { ...known, pages: known.pages.map((page) => patchedPage(page, told, state)) };
}

function patchedPage(page: Page<Entity>, told: Told, state: string): Page<Entity> {
  if (!page.items.some((item) => item.metadata.ref === told.ref)) return page;
  const items = told.object
    ? page.items
        .map((item) => patchedEntity(item, told) as Entity)
        .filter((item) => item.metadata.ref !== told.ref || !state || item.status.state === state)
    : page.items.filter((item) => item.metadata.ref !== told.ref);
  return { ...page, items };
}

/** Events carry the object as it was when they were sent; an answer read meanwhile may be newer. */
function newer(one: Entity, other: Entity): boolean {
  if (one.metadata.generation !== other.metadata.generation)
    return one.metadata.generation > other.metadata.generation;
  return (one.status.observed_at ?? "") >= (other.status.observed_at ?? "");
}

/** The counts after one object moved from one state to another; null is not being there. */
export function movedSummary(
  known: Summary | undefined,
  kind: string,
  from: State | null,
  to: State | null,
): Summary | undefined {
  if (!known || from === to) return known;
  const items = known.items.map((each) => {
    const by = each.kind !== kind ? 0 : Number(each.state === to) - Number(each.state === from);
    return by ? { ...each, count: each.count + by } : each;
  });
  const missing = to !== null && !items.some((each) => each.kind === kind && each.state === to);
  return { ...known, items: missing ? [...items, { kind, state: to, count: 1 }] : items };
}

/** The list of what is unwell, with the object where it belongs now: worst first, and out of it when READY. */
export function patchedAttention(known: Page<Entity> | undefined, told: Told): Page<Entity> | undefined {
  if (!known) return known;
  const others = known.items.filter((each) => each.metadata.ref !== told.ref);
  const object = told.object;
  if (!object || object.status.state === "READY")
    return others.length === known.items.length ? known : { ...known, items: others };
  const rank = (each: Entity) => STATES[each.status.state].worst;
  const items = [...others, object].sort(
    (one, other) => rank(one) - rank(other) || (one.metadata.ref < other.metadata.ref ? -1 : 1),
  );
  return { ...known, items };
}

/** Whether how many there are in each state may have changed: not by a reason that reads otherwise, nor by a plan. */
export function countsMoved(told: Told): boolean {
  const aside = ["switch", "plan", "approval", "task"].includes(told.type.split(".")[0] ?? "");
  return told.ref.includes("/") && !aside && told.type !== "entity.status_changed";
}

/** Which questions an event makes worth asking again, by the first word of their key. */
export function stale(told: Told): string[] {
  const [subject] = told.type.split(".");
  const found = ["why", "history"];
  if (subject === "plan" || subject === "approval") found.push("plans", "plan");
  if (subject === "task") found.push("tasks", "task", "operations");
  if (told.type === "entity.config_changed" || !told.object) found.push("related");
  return found;
}
