// Views of a table that somebody gave a name: the part of the address that makes them. Pure.
export interface View {
  name: string;
  search: Record<string, string>;
}

const KEPT = ["kind", "state", "text", "filter", "order", "columns"];

/** What was stored, as far as it can be read: another version may have written it. */
export function viewsOf(stored: string): View[] {
  try {
    const found: unknown = JSON.parse(stored);
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(found: unknown): found is View {
  const view = found as View | null;
  return typeof view?.name === "string" && typeof view.search === "object" && view.search !== null;
}

/** What of an address belongs to a view. */
export function keptOf(search: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    KEPT.flatMap((key) => (search[key] ? [[key, search[key] as string] as const] : [])),
  );
}

/** The address that shows a view: what it does not say is as usual. */
export const appliedOf = (view: View): Record<string, string> => ({
  ...Object.fromEntries(KEPT.map((key) => [key, ""])),
  ...view.search,
});

/** With this one; one of the same name is replaced. */
export function withView(views: View[], view: View): View[] {
  return [...views.filter((each) => each.name !== view.name), view].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}

export const isShown = (view: View, search: Record<string, string | undefined>) =>
  JSON.stringify(keptOf(view.search)) === JSON.stringify(keptOf(search));
