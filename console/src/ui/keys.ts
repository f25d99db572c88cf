// Keys of the page and of the frame, registered while what they act on is there; `?` lists them.
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Key {
  /** One key, as `j`, or two in a row, as `g n`. */
  keys: string;
  says: string;
  do: () => void;
}

export interface KeyGroup {
  title: string;
  keys: Key[];
}

const groups = new Map<symbol, KeyGroup>();
const watchers = new Set<() => void>();
let shown: KeyGroup[] = [];
let before = "";
let forget: ReturnType<typeof setTimeout> | undefined;
const TOGETHER_MS = 1_200;

export function useKeys(title: string, keys: Key[]): void {
  const own = useRef(Symbol(title));
  const latest = useRef(keys);
  latest.current = keys;
  const listed = keys.map((key) => key.keys + key.says).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words decide, not the functions behind them
  useEffect(() => {
    const live = keys.map((key, at) => ({ ...key, do: () => latest.current[at]?.do() }));
    groups.set(own.current, { title, keys: live });
    tell();
    return () => {
      groups.delete(own.current);
      tell();
    };
  }, [title, listed]);
}

export function useKeyGroups(): KeyGroup[] {
  return useSyncExternalStore(
    (told) => {
      watchers.add(told);
      return () => watchers.delete(told);
    },
    () => shown,
  );
}

/** Which key group answers to what was pressed; the last registered first, so that a page wins over the frame. */
export function answer(known: KeyGroup[], pressed: string, earlier: string): Key | undefined {
  const all = [...known].reverse().flatMap((group) => group.keys);
  const pair = earlier ? all.find((key) => key.keys === `${earlier} ${pressed}`) : undefined;
  return pair ?? all.find((key) => key.keys === pressed);
}

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("[role=dialog]") || event.defaultPrevented) return;
    // Enter on a button or a link is for that one.
    if (event.key === "Enter" && (event.target as HTMLElement).closest?.("a,button,summary")) return;
    const found = answer(shown, event.key, before);
    clearTimeout(forget);
    before = found ? "" : event.key;
    forget = setTimeout(() => {
      before = "";
    }, TOGETHER_MS);
    if (!found) return;
    event.preventDefault();
    found.do();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function tell(): void {
  shown = [...groups.values()];
  for (const told of watchers) told();
}
