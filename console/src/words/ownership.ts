// Who set which field, worked out from what an object was declared as; and what is known of the field as it is.
import type { Past } from "@/api/entity";
import type { Entity, Json, Schema } from "@/api/shapes";
import { said } from "./difference";

export interface Owned {
  name: string;
  value: Json | undefined;
  by: string;
  at: string;
  generation: number;
}

/** Every field of a spec with whoever changed it last; the oldest that is on record set all the others. */
export function ownedFields(spec: Record<string, Json>, pasts: Past[], schema: Schema): Owned[] {
  const names = [...new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(spec)])];
  return names
    .filter((name) => spec[name] !== undefined)
    .map((name) => {
      const touched = pasts.find((past) => past.changed.some((each) => within(each.field, `spec.${name}`)));
      const first = pasts.at(-1);
      const past = touched ?? first;
      const usual = !touched && same(spec[name], schema.properties?.[name]?.default);
      if (!past || usual)
        return { name, value: spec[name], by: usual ? "the default" : "", at: "", generation: 0 };
      return { name, value: spec[name], by: past.by, at: past.at, generation: past.generation };
    });
}

export interface Seen {
  text: string;
  differs: boolean;
}

/** What was seen of a field: said by a fact of the same name, or by the state of the whole. */
export function seenOf(field: Owned, { status, metadata }: Entity): Seen {
  const fact = status.facts[field.name];
  // A name may stand for two things: a size in words is not a size in hosts.
  const alike = typeof fact === typeof field.value;
  if (fact !== undefined && alike) return { text: said(fact), differs: !same(fact, field.value) };
  if (status.observed_generation < metadata.generation)
    return { text: "not observed since it changed", differs: false };
  if (status.state === "READY") return { text: "= as wanted", differs: false };
  return { text: status.observed_at ? "? see why" : "? not observed yet", differs: false };
}

const within = (field: string, path: string) => field === path || field.startsWith(`${path}.`);
const same = (one: Json | undefined, other: Json | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);
