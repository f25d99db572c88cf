// A zone as its records: what is wanted of each beside what was seen at the provider. Pure.
import type { Action } from "@/api/plans";
import type { Entity, Json } from "@/api/shapes";

export interface ZoneRecord {
  /** `www/A`: how plans call it. */
  item: string;
  name: string;
  type: string;
  /** Empty where nobody wants it, or wants it any longer. */
  wanted: string;
  /** The values that were seen where they are not the wanted ones; empty where a sentence says more. */
  seen: string;
  says: string;
  /** Since when it is as declared. */
  since?: string | null;
  verb: string;
  record?: Entity;
}

/** Of a plan with very many changes only the first are at hand. */
const UNREAD = "see the plan";

/** Declared ones, and those at the provider that nobody declares; what differs first, then by name. */
export function recordsOf(records: Entity[], actions: Action[], complete = true): ZoneRecord[] {
  const byItem = new Map(actions.map((action) => [action.item, action]));
  const declared = records.map((record): ZoneRecord => {
    const { name, type } = record.spec as Record<string, string>;
    const item = `${name}/${type}`;
    const action = byItem.get(item);
    byItem.delete(item);
    return {
      item,
      name: name ?? "",
      type: type ?? "",
      wanted: record.metadata.deleting ? "" : valuesOf(record.spec),
      ...seenOf(record, action, complete),
      verb: action?.verb ?? "",
      record,
    };
  });
  const strange = [...byItem.values()]
    .filter((action) => action.item.includes("/"))
    .map((action): ZoneRecord => {
      const [name = "", type = ""] = action.item.split("/");
      const seen = valuesOf(action.before);
      return { item: action.item, name, type, wanted: "", seen, says: "", verb: action.verb };
    });
  return [...declared, ...strange].sort(
    (one, other) => Number(!one.verb) - Number(!other.verb) || (one.item < other.item ? -1 : 1),
  );
}

/** The API keeps what differs, not what was found equal: that is said, rather than wanted values shown as seen ones. */
function seenOf(
  { metadata, status }: Entity,
  action: Action | undefined,
  complete: boolean,
): Pick<ZoneRecord, "seen" | "says" | "since"> {
  if (action?.verb === "create") return { seen: "", says: "nothing there" };
  if (action) return { seen: valuesOf(action.before), says: "" };
  if (status.observed_generation < metadata.generation)
    return { seen: "", says: "not observed since it was changed" };
  if (status.state === "READY") return { seen: "", says: "as declared", since: status.since };
  return { seen: "", says: complete ? status.reason : UNREAD };
}

/** "192.0.2.1, 192.0.2.2 · 300 s". */
export function valuesOf(spec: Json | undefined): string {
  if (spec === null || spec === undefined || typeof spec !== "object" || Array.isArray(spec))
    return String(spec ?? "");
  const { values, records, ttl } = spec as Record<string, Json>;
  const each = (values ?? records ?? []) as Json[];
  const said = each.map((one) =>
    typeof one === "object" && one !== null ? String((one as Record<string, Json>).value ?? "") : String(one),
  );
  return [said.join(", "), ...(ttl === undefined || ttl === null ? [] : [`${ttl} s`])]
    .filter(Boolean)
    .join(" · ");
}
