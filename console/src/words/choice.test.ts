import { describe, expect, it } from "vitest";
import type { Group } from "@/api/plans";
import { type Choice, flipGroup, flipItem, isPicked, itemsOf, picked, pickedIn } from "./choice";

const group = (key: string, asked: number) => ({ key, asked, count: asked }) as Group;
const [deletes, updates] = [group("d", 3), group("u", 1000)];
const names = (key: string) => Promise.resolve(key === "d" ? ["a", "b", "c"] : ["x"]);

describe("which changes a yes is about", () => {
  it("is all of them at first", () => {
    expect(picked({}, [deletes, updates])).toBe(1003);
    expect(isPicked({}, "d", "a")).toBe(true);
  });

  it("leaves a group out and takes it back as a whole", () => {
    const without = flipGroup({}, deletes);
    expect(picked(without, [deletes, updates])).toBe(1000);
    expect(picked(flipGroup(without, deletes), [deletes, updates])).toBe(1003);
  });

  it("leaves single items out, and picks single ones of a group that is left out", () => {
    const but = flipItem({}, "d", "b");
    expect(pickedIn(but, deletes)).toBe(2);
    expect(isPicked(but, "d", "b")).toBe(false);
    const only = flipItem(flipGroup({}, deletes), "d", "b");
    expect(pickedIn(only, deletes)).toBe(1);
    expect(isPicked(only, "d", "b")).toBe(true);
    expect(pickedIn(flipGroup(only, deletes), deletes)).toBe(3);
  });

  it("is told by name, and reads only the groups of which all is meant", async () => {
    const asked: string[] = [];
    const read = (key: string) => {
      asked.push(key);
      return names(key);
    };
    const choice: Choice = flipItem(flipGroup({}, updates), "u", "y");
    expect(await itemsOf(flipItem(choice, "d", "b"), [deletes, updates], read)).toEqual(["a", "c", "y"]);
    expect(asked).toEqual(["d"]);
  });
});
