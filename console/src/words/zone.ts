// A zone as its records: what is wanted of each beside what was seen at the provider. Pure.
import type { Action } from "@/api/plans";
import type { Entity, Json } from "@/api/shapes";

export interface ZoneRecord {
  /** `www/A`: how plans call it. */
  item: string;
  name: string;
  type: string;
  wanted: string;
  seen: string;
  verb: string;
  record?: Entity;
}

/** Declared ones, and those at the provider that nobody declares; what differs first, then by name. */
export function recordsOf(records: Entity[], actions: Action[]): ZoneRecord[] {
  const byItem = new Map(actions.map((action) => [action.item, action]));
  const declared = records.map((record): ZoneRecord => {
    const { name, type } = record.spec as Record<string, string>;
    const item = `${name}/${type}`;
    const action = byItem.get(item);
    byItem.delete(item);
    const wanted = valuesOf(record.spec);
    return {
      item,
      name: name ?? "",
      type: type ?? "",
      wanted,
      seen: seenOf(record, wanted, action),
      verb: action?.verb ?? "",
      record,
    };
  });
  const strange = [...byItem.values()]
    .filter((action) => action.item.includes("/"))
    .map((action): ZoneRecord => {
      const [name = "", type = ""] = action.item.split("/");
      return { item: action.item, name, type, wanted: "", seen: valuesOf(action.before), verb: action.verb };
    });
  return [...declared, ...strange].sort(
    (one, other) => Number(!one.verb) - Number(!other.verb) || (one.item < other.item ? -1 : 1),
  );
}

function seenOf(record: Entity, wanted: string, action: Action | undefined): string {
  if (action) return action.verb === "create" ? "" : valuesOf(action.before);
  return record.status.state === "READY" ? wanted : "";
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
