// Which changes a yes is about, told by groups: of each all or none, but for some of its items.
import type { Group } from "@/api/plans";

export interface Pick {
  all: boolean;
  but: Set<string>;
}

/** By the key of the group; one that is not mentioned is chosen whole. */
export type Choice = Record<string, Pick>;

const WHOLE: Pick = { all: true, but: new Set() };

export const pickOf = (choice: Choice, group: string): Pick => choice[group] ?? WHOLE;

export const isPicked = (choice: Choice, group: string, item: string): boolean => {
  const { all, but } = pickOf(choice, group);
  return all !== but.has(item);
};

export function pickedIn(choice: Choice, group: Group): number {
  const { all, but } = pickOf(choice, group.key);
  return all ? group.asked - but.size : but.size;
}

export const picked = (choice: Choice, groups: Group[]): number =>
  groups.reduce((sum, group) => sum + pickedIn(choice, group), 0);

/** All that is asked of a group, or none of it where it was all. */
export function flipGroup(choice: Choice, group: Group): Choice {
  const every = pickedIn(choice, group) === group.asked;
  return { ...choice, [group.key]: { all: !every, but: new Set() } };
}

export function flipItem(choice: Choice, group: string, item: string): Choice {
  const { all, but } = pickOf(choice, group);
  const next = new Set(but);
  if (!next.delete(item)) next.add(item);
  return { ...choice, [group]: { all, but: next } };
}

/** The items by name; `namesIn` reads those of a group, and is asked only where all of it is meant but for some. */
export async function itemsOf(
  choice: Choice,
  groups: Group[],
  namesIn: (group: string) => Promise<string[]>,
): Promise<string[]> {
  const found = await Promise.all(
    groups
      .filter((group) => pickedIn(choice, group) > 0)
      .map(async ({ key }) => {
        const { all, but } = pickOf(choice, key);
        return all ? (await namesIn(key)).filter((item) => !but.has(item)) : [...but];
      }),
  );
  return found.flat().sort();
}
