// How bad a plan could be, in one word, and values with their secrets left out. Its groups are the server's.
import type { Action } from "@/api/plans";
import type { Json } from "@/api/shapes";
import { isSecret } from "./secrets";

/** Worst first: what is taken away is never below what is made. */
export const ORDER = ["delete", "park", "replace", "update", "unpark", "create"];
export const DESTRUCTIVE = new Set(["delete", "park", "replace"]);

/** Secrets by the fact that they differ, never by what they are. */
export function veiled(value: Json, other?: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const beside =
    other && typeof other === "object" && !Array.isArray(other) ? (other as Record<string, Json>) : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hidden(key, inner, beside?.[key])]),
  );
}

function hidden(key: string, value: Json, other: Json | undefined): Json {
  const plain = typeof value === "string" && (value === "" || value.startsWith("secret://"));
  if (!isSecret(key) || value === null || typeof value === "boolean" || plain) return veiled(value, other);
  return other !== undefined && JSON.stringify(other) !== JSON.stringify(value) ? "changed" : "(secret)";
}

/** Verbs with how many, worst first. */
export function counted(actions: Pick<Action, "verb">[]): [string, number][] {
  const found = new Map<string, number>();
  for (const { verb } of actions) found.set(verb, (found.get(verb) ?? 0) + 1);
  return worstFirst(Object.fromEntries(found));
}

export const worstFirst = (changes: Record<string, number>): [string, number][] =>
  Object.entries(changes).sort(([one], [other]) => rank(one) - rank(other));

export type Tense = "would" | "did" | "was to";

/** "would destroy all 12" to "would destroy nothing": in one word how bad it could be, was or would have been. */
export function risk(
  changes: Record<string, number>,
  actual: number,
  tense: Tense = "would",
): { word: string; tone: "red" | "orange" | "blue" | "gray" } {
  const verb = tense === "did" ? "destroyed" : `${tense} destroy`;
  const gone = Object.entries(changes).reduce(
    (sum, [each, count]) => sum + (DESTRUCTIVE.has(each) ? count : 0),
    0,
  );
  if (!gone) return { word: `${verb} nothing`, tone: "blue" };
  const all = actual > 0 && gone >= actual;
  const word = all ? `${verb} all ${actual}` : `${verb} ${gone}${actual ? ` of ${actual}` : ""}`;
  if (tense === "was to") return { word, tone: "gray" };
  return { word, tone: all || gone > 1 ? "red" : "orange" };
}

const rank = (verb: string) => {
  const found = ORDER.indexOf(verb);
  return found < 0 ? ORDER.length : found;
};
