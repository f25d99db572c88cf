// What differs between two values, field by field; a list is one value, as in the API's own history.
import type { Json } from "@/api/shapes";

export interface Change {
  field: string;
  before: Json | undefined;
  after: Json | undefined;
  same: boolean;
}

export function differences(before: Json | undefined, after: Json | undefined, path = ""): Change[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differences(before[key], after[key], path ? `${path}.${key}` : key));
  }
  if (isObject(before) && after === undefined)
    return Object.entries(before).flatMap(([key, value]) => differences(value, undefined, join(path, key)));
  if (isObject(after) && before === undefined)
    return Object.entries(after).flatMap(([key, value]) => differences(undefined, value, join(path, key)));
  return [{ field: path || "value", before, after, same: JSON.stringify(before) === JSON.stringify(after) }];
}

export function said(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const join = (path: string, key: string) => (path ? `${path}.${key}` : key);

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
