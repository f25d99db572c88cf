// A moment, relative; the exact one on hover. One clock for the whole page, so that all of them tick together.
import { useSyncExternalStore } from "react";
import { ago, exact, millisecondsOf, span } from "@/words/time";
import { useUtc } from "./preferences";

const watchers = new Set<() => void>();
let now = Date.now();
setInterval(() => {
  now = Date.now();
  for (const told of watchers) told();
}, 1000);

export function useNow(): number {
  return useSyncExternalStore(
    (told) => {
      watchers.add(told);
      return () => watchers.delete(told);
    },
    () => now,
  );
}

export function Ago({ at, bare = false }: { at: string | number | null | undefined; bare?: boolean }) {
  const [utc] = useUtc();
  const current = useNow();
  if (at === null || at === undefined || at === "" || at === 0) return <span className="faint">never</span>;
  const words = bare ? span((current - millisecondsOf(at)) / 1000) : ago(at, current);
  return (
    <time
      dateTime={new Date(typeof at === "number" ? at * 1000 : at).toISOString()}
      // Written when it is looked for: pages show many moments, and few are asked for exactly.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = exact(at, utc);
      }}
      className="number"
    >
      {words}
    </time>
  );
}
