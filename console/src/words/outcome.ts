// What a plan would do, did or was to do: its changes by what became of them, in the right tense. Pure.
import type { Group, Outcome, Outcomes } from "@/api/plans";
import { DESTRUCTIVE, ORDER } from "./groups";

/** Changes of a plan that are told together. */
export interface Part {
  key: string;
  title: string;
  destructive: boolean;
  /** Each with the number of those of its changes that belong here. */
  groups: Group[];
  /** What became of them; empty while nothing is decided. */
  outcomes: Outcome[];
}

const PAST: Record<string, string> = {
  delete: "deleted",
  park: "parked",
  replace: "replaced",
  update: "updated",
  unpark: "unparked",
  create: "created",
};

interface Fate {
  key: string;
  outcomes: Outcome[];
  says: (verbs: string[]) => string;
}

const UNDECIDED: Fate = { key: "would", outcomes: [], says: (verbs) => `Would ${listed(verbs)}` };
const FATES: Fate[] = [
  {
    key: "done",
    outcomes: ["done"],
    says: (verbs) => capital(listed(verbs.map((verb) => PAST[verb] ?? verb))),
  },
  { key: "failed", outcomes: ["failed"], says: (verbs) => `Failed to ${listed(verbs)}` },
  {
    key: "open",
    outcomes: ["started", "unknown", "later", "waiting"],
    says: (verbs) => `Still to ${listed(verbs)}`,
  },
  { key: "left", outcomes: ["left_out"], says: () => "Left out" },
  { key: "not", outcomes: ["not_done"], says: (verbs) => `Was to ${listed(verbs)}` },
];

/** What destroys first, and of that what happened first. */
export function partsOf(groups: Group[], outcomes: Outcomes): Part[] {
  const decided = Object.keys(outcomes).length > 0;
  return [true, false].flatMap((destructive) => {
    const alike = groups.filter((group) => DESTRUCTIVE.has(group.verb) === destructive);
    return (decided ? FATES : [UNDECIDED]).flatMap((fate) => {
      const here = decided ? alike.map((group) => counted(group, outcomes, fate)) : alike;
      const some = here.filter((group) => group.count > 0);
      if (some.length === 0) return [];
      const sum = some.reduce((all, group) => all + group.count, 0);
      const verbs = ORDER.filter((verb) => some.some((group) => group.verb === verb));
      const title = `${fate.says(verbs)} ${sum}`;
      return [
        { key: `${fate.key} ${destructive}`, title, destructive, groups: some, outcomes: fate.outcomes },
      ];
    });
  });
}

/** How many changes of which verb were made; undefined while nothing is decided. */
export function madeOf(groups: Group[], outcomes: Outcomes): Record<string, number> | undefined {
  if (Object.keys(outcomes).length === 0) return undefined;
  const made: Record<string, number> = {};
  for (const { key, verb } of groups) {
    const done = outcomes[key]?.done ?? 0;
    if (done) made[verb] = (made[verb] ?? 0) + done;
  }
  return made;
}

function counted(group: Group, outcomes: Outcomes, fate: Fate): Group {
  const count = fate.outcomes.reduce((sum, outcome) => sum + (outcomes[group.key]?.[outcome] ?? 0), 0);
  // The first names are those of the whole group: of a part nobody knows them before it is read.
  return count === group.count ? group : { ...group, count, named: [] };
}

function listed(verbs: string[]): string {
  const [last = "", ...others] = [...verbs].reverse();
  return others.length ? `${others.reverse().join(", ")} and ${last}` : last;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
