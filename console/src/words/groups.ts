// A plan by its causes: a thousand equal changes are one row. Pure: actions in, groups out.
import type { Action } from "@/api/plans";
import type { Json } from "@/api/shapes";
import { differences, said } from "./difference";

export interface Group {
  key: string;
  verb: string;
  /** In a few words: what is the same for all of them. */
  cause: string;
  actions: Action[];
}

/** Worst first: what is taken away is never below what is made. */
export const ORDER = ["delete", "park", "replace", "update", "unpark", "create"];
export const DESTRUCTIVE = new Set(["delete", "park", "replace"]);
const MOST_GROUPS = 12;
const LONGEST = 60;
const SECRET = /secret|passw|token|credential|private|api_?key/i;

/** Coarser and coarser until one can take them in. */
export function grouped(actions: Action[]): Group[] {
  const ways = [exactly, roughly, () => ""];
  let found: Group[] = [];
  for (const way of ways) {
    found = gathered(actions, way);
    if (found.length <= MOST_GROUPS) break;
  }
  return found.sort((one, other) => rank(one.verb) - rank(other.verb));
}

function gathered(actions: Action[], way: (action: Action) => string): Group[] {
  const found = new Map<string, Group>();
  for (const action of actions) {
    const cause = way(action);
    const key = [action.verb, action.explicit, action.protected, cause].join(" ");
    const known = found.get(key);
    if (known) known.actions.push(action);
    else found.set(key, { key, verb: action.verb, cause: cause || plainly(action), actions: [action] });
  }
  return [...found.values()];
}

function exactly(action: Action): string {
  if (action.verb !== "update" && action.verb !== "replace") return "";
  return clipped(
    changed(action)
      .map((each) => `${each.field} ${said(each.before) || "nothing"} → ${said(each.after) || "nothing"}`)
      .join(", "),
  );
}

function roughly(action: Action): string {
  if (action.verb !== "update" && action.verb !== "replace") return "";
  return clipped(
    changed(action)
      .map((each) => each.field)
      .join(", "),
  );
}

function plainly(action: Action): string {
  if (action.protected) return "protected";
  if (DESTRUCTIVE.has(action.verb)) return action.explicit ? "asked for by name" : "no longer declared";
  return action.verb === "create" ? "declared, and not there" : "differs from what is declared";
}

function changed(action: Action) {
  return differences(veiled(action.before), veiled(action.after)).filter((each) => !each.same);
}

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
  const plain = typeof value === "string" && value.startsWith("secret://");
  if (!SECRET.test(key) || value === null || plain) return veiled(value, other);
  return other !== undefined && JSON.stringify(other) !== JSON.stringify(value) ? "changed" : "(secret)";
}

/** Verbs with how many, worst first. */
export function counted(actions: Pick<Action, "verb">[]): [string, number][] {
  const found = new Map<string, number>();
  for (const { verb } of actions) found.set(verb, (found.get(verb) ?? 0) + 1);
  return [...found].sort(([one], [other]) => rank(one) - rank(other));
}

/** "destroys everything" to "takes nothing away": one word for how bad it could be. */
export function risk(
  changes: Record<string, number>,
  actual: number,
): { word: string; tone: "red" | "orange" | "blue" } {
  const gone = Object.entries(changes).reduce(
    (sum, [verb, count]) => sum + (DESTRUCTIVE.has(verb) ? count : 0),
    0,
  );
  if (!gone) return { word: "takes nothing away", tone: "blue" };
  if (actual && gone >= actual) return { word: `destroys all ${actual}`, tone: "red" };
  return { word: `destroys ${gone}${actual ? ` of ${actual}` : ""}`, tone: gone > 1 ? "red" : "orange" };
}

export interface Since {
  added: Action[];
  gone: Action[];
  other: Action[];
}

/** What a newer plan has that was not shown, what it no longer has, and what it does otherwise. */
export function since(before: Action[], after: Action[]): Since {
  const old = new Map(before.map((action) => [action.item, action]));
  const now = new Map(after.map((action) => [action.item, action]));
  return {
    added: after.filter((action) => !old.has(action.item)),
    gone: before.filter((action) => !now.has(action.item)),
    other: after.filter((action) => {
      const known = old.get(action.item);
      return known && line(known) !== line(action);
    }),
  };
}

const line = (action: Action) => JSON.stringify([action.verb, action.before, action.after]);
const rank = (verb: string) => {
  const found = ORDER.indexOf(verb);
  return found < 0 ? ORDER.length : found;
};
const clipped = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
