// A form from a schema: which field each property gets, and how what was typed becomes a spec. Pure.
import { resolved } from "@/api/kinds";
import type { Json, Kind, Mistake, Schema } from "@/api/shapes";

export type Sort = "text" | "number" | "truth" | "choice" | "list" | "json";

export interface FormField {
  name: string;
  sort: Sort;
  about: string;
  required: boolean;
  choices: string[];
  usual: Json | undefined;
  min?: number;
  max?: number;
  /** The kind whose objects it names, where its name says so. */
  names: string;
}

export function fieldsOf(kind: Kind, kinds: Kind[]): FormField[] {
  const root = resolved(kind.schema, kind.schema);
  const required = new Set(root.required ?? []);
  const fields = Object.entries(root.properties ?? {}).map(([name, raw]) => {
    const schema = narrowed(raw, kind.schema);
    return {
      name,
      sort: sortOf(schema, kind.schema),
      about: raw.description ?? schema.description ?? "",
      required: required.has(name),
      choices: (schema.enum ?? []).map(String),
      usual: raw.default ?? schema.default,
      min: schema.minimum ?? schema.exclusiveMinimum,
      max: schema.maximum,
      names: kinds.find((each) => each.name === name || each.name.endsWith(`_${name}`))?.name ?? "",
    };
  });
  return fields.sort((one, other) => Number(other.required) - Number(one.required));
}

/** One of several, of which null is another: what it is when it is something. */
function narrowed(schema: Schema, root: Schema): Schema {
  const real = schema.anyOf?.filter((each) => each.type !== "null") ?? [];
  return resolved(real.length === 1 ? (real[0] as Schema) : schema, root);
}

function sortOf(schema: Schema, root: Schema): Sort {
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "truth";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "array" && resolved(schema.items ?? {}, root).type === "string") return "list";
  return schema.type === "string" ? "text" : "json";
}

export type Typed = Record<string, Json | undefined>;

/** What is sent: without what was left empty, or is what it would be anyway and was not there before. */
export function specOf(
  fields: FormField[],
  typed: Typed,
  before: Record<string, Json> = {},
): Record<string, Json> {
  const found: Record<string, Json> = {};
  for (const { name, usual } of fields) {
    const value = typed[name];
    const empty = value === undefined || value === "" || value === null;
    const idle = before[name] === undefined && JSON.stringify(value) === JSON.stringify(usual);
    if (!empty && !idle) found[name] = value;
  }
  return found;
}

/** The mistake that a refusal found in a field, by its pointer. */
export function mistakeAt(mistakes: Mistake[] | undefined, pointer: string): string | undefined {
  const found = mistakes?.filter(
    (each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`),
  );
  return found?.length ? found.map((each) => each.message).join("; ") : undefined;
}
