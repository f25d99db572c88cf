// Rules of a role as a matrix of keys and verbs, and back. The same patterns as where it is decided.
export interface Rule {
  keys: string[];
  verbs: string[];
  effect?: "allow" | "forbid";
  project?: string;
  workspace?: string;
  names?: string[];
  until?: number;
}

export type Cell = "allow" | "forbid" | "partly" | "";

/** Keys that no pattern reaches: only machines have them. */
export const ALONE = ["agent.report"];

export function matches(pattern: string, key: string): boolean {
  if (ALONE.includes(key)) return pattern === key;
  return (
    pattern === "*" || pattern === key || (pattern.endsWith(".*") && key.startsWith(pattern.slice(0, -1)))
  );
}

/** Whether it is about all objects, everywhere and for ever: only then it can be one cell of a matrix. */
export const isWhole = (rule: Rule) =>
  !rule.project && !rule.workspace && !rule.until && (rule.names ?? []).length === 0;

/** A forbid wins; what reaches some objects only is `partly`. A pattern is a key like others, reached by wider ones. */
export function cellOf(rules: Rule[], key: string, verb: string): Cell {
  const here = rules.filter(
    (rule) => rule.verbs.includes(verb) && rule.keys.some((each) => matches(each, key)),
  );
  if (here.some((rule) => isWhole(rule) && rule.effect === "forbid")) return "forbid";
  const allowed = here.some((rule) => isWhole(rule) && rule.effect !== "forbid");
  if (allowed) return here.some((rule) => rule.effect === "forbid") ? "partly" : "allow";
  return here.some((rule) => rule.effect !== "forbid") ? "partly" : "";
}

/** What decides a cell, as the rule says it. */
export function becauseOf(rules: Rule[], key: string, verb: string): string {
  const here = rules.filter(
    (rule) => rule.verbs.includes(verb) && rule.keys.some((each) => matches(each, key)),
  );
  const rule = here.find((each) => each.effect === "forbid") ?? here[0];
  return rule ? sentence(rule) : "no rule allows it";
}

export function sentence(rule: Rule): string {
  const where = [rule.project, rule.workspace].filter(Boolean).join("/");
  const only = (rule.names ?? []).join(", ");
  const until = rule.until ? ` until ${new Date(rule.until * 1000).toISOString().slice(0, 10)}` : "";
  return `${rule.effect === "forbid" ? "forbids" : "allows"} ${rule.verbs.join(", ")} of ${rule.keys.join(", ")}${
    where ? ` in ${where}` : ""
  }${only ? `, only ${only}` : ""}${until}`;
}

/** The rules after one press on a cell: nothing, allowed, forbidden, and around. */
export function pressed(rules: Rule[], key: string, verb: string): Rule[] {
  const now = cellOf(rules, key, verb);
  const cleared = without(rules, key, verb);
  const left = cellOf(cleared, key, verb);
  if (now === "forbid") return left === "forbid" ? rules : cleared;
  if (now === "allow") return tidy([...cleared, { keys: [key], verbs: [verb], effect: "forbid" }]);
  return tidy([...cleared, { keys: [key], verbs: [verb], effect: "allow" }]);
}

function without(rules: Rule[], key: string, verb: string): Rule[] {
  const split = rules.flatMap((rule): Rule[] => {
    if (!isWhole(rule) || !rule.keys.includes(key) || !rule.verbs.includes(verb)) return [rule];
    return [
      { ...rule, keys: rule.keys.filter((each) => each !== key) },
      { ...rule, keys: [key], verbs: rule.verbs.filter((each) => each !== verb) },
    ];
  });
  return tidy(split.filter((rule) => rule.keys.length > 0 && rule.verbs.length > 0));
}

/** Verbs of one key together, then keys with the same verbs; what is narrowed stays as it was written. */
export function tidy(rules: Rule[]): Rule[] {
  const verbs = new Map<string, Set<string>>();
  for (const rule of rules.filter(isWhole))
    for (const key of rule.keys) {
      const at = `${rule.effect ?? "allow"} ${key}`;
      verbs.set(at, new Set([...(verbs.get(at) ?? []), ...rule.verbs]));
    }
  const keys = new Map<string, string[]>();
  for (const [at, found] of verbs) {
    const [effect = "allow", key = ""] = at.split(" ");
    const same = `${effect} ${ordered([...found]).join(",")}`;
    keys.set(same, [...(keys.get(same) ?? []), key]);
  }
  const whole = [...keys].map(([same, found]): Rule => {
    const [effect, said = ""] = same.split(" ");
    return { keys: found, verbs: said.split(","), effect: effect as Rule["effect"] };
  });
  return [...whole, ...rules.filter((rule) => !isWhole(rule))];
}

const ORDER = ["read", "create", "update", "delete", "execute"];
const ordered = (verbs: string[]) => verbs.sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));

/** Patterns above the keys: `*`, `organization.*`, `project.*`, `project.workspace.*`. */
export function patternsOf(keys: string[]): string[] {
  const stems = keys
    .filter((key) => !ALONE.includes(key))
    .map((key) => key.split(".").slice(0, -1).join("."));
  const used = [...new Set(stems)].filter((stem) => stem && stems.filter((each) => each === stem).length > 1);
  return ["*", ...used.sort().map((stem) => `${stem}.*`)];
}

export interface Gathered {
  key: string;
  scope: string;
  verbs: string[];
}

/** Many answers about single verbs, as one line per key and place. */
export function gathered(asked: { verb: string; key: string; scope: string; object?: string }[]): Gathered[] {
  const found = new Map<string, Gathered>();
  for (const { verb, key, scope, object } of asked) {
    const named = object ? `${key} ${object}` : key;
    const line = found.get(`${named} ${scope}`) ?? { key: named, scope, verbs: [] };
    found.set(`${named} ${scope}`, { ...line, verbs: [...line.verbs, verb] });
  }
  return [...found.values()];
}
