// The access diff: who would gain and who would lose what, asked of the function that decides, before anything is saved.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Asked, Move } from "@/api/people";
import { ifUnanswered, send } from "@/api/request";
import type { Json, Page } from "@/api/shapes";
import { Problem } from "@/ui/Problem";
import { type Gathered, gathered } from "@/words/rules";

const TYPING_MS = 250;
const SHOWN = 6;

/** What saving `spec` at `path` would do; `null` asks nothing. */
export function Moves({ path, spec }: { path: string; spec: Json | null }) {
  const settled = useSettled(spec === null ? "" : JSON.stringify(spec));
  const { data, error, isFetching } = useQuery({
    queryKey: ["preview", path, settled],
    queryFn: ({ signal }) =>
      send<Page<Move>>("POST", `${path}:preview`, {
        body: { spec: JSON.parse(settled) },
        query: { page_size: 100 },
        signal,
      }),
    enabled: settled !== "",
    retry: ifUnanswered,
    placeholderData: (before) => before,
  });
  if (settled === "") return null;
  return (
    <section className="access-moves" aria-label="access diff" aria-busy={isFetching}>
      <h3>What it changes</h3>
      <Found page={data} error={error} nothing="Saving this gives nobody more and nobody less." />
    </section>
  );
}

export function Found({
  page,
  error,
  nothing,
}: {
  page: Page<Move> | undefined;
  error: unknown;
  nothing: string;
}) {
  if (error) return <Problem error={error} />;
  if (!page) return <p className="plain faint">asking …</p>;
  if (page.items.length === 0) return <p className="plain faint">= {nothing}</p>;
  return (
    <>
      {page.items.map((move) => (
        <Person key={move.name} move={move} />
      ))}
      {page.next_page_token && <p className="plain faint">and more than these {page.items.length}</p>}
    </>
  );
}

function Person({ move }: { move: Move }) {
  return (
    <div className="move">
      <strong>{move.name}</strong>{" "}
      <span className="faint">
        {[
          move.gains.length && `gains ${move.gains.length}`,
          move.loses.length && `loses ${move.loses.length}`,
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
      <Lines asked={move.loses} symbol="-" tone="red" word="loses" />
      <Lines asked={move.gains} symbol="+" tone="green" word="gains" />
    </div>
  );
}

function Lines({
  asked,
  symbol,
  tone,
  word,
}: {
  asked: Asked[];
  symbol: string;
  tone: string;
  word: string;
}) {
  const [all, setAll] = useState(false);
  const lines = gathered(asked);
  const shown = all ? lines : lines.slice(0, SHOWN);
  if (lines.length === 0) return null;
  return (
    <>
      <ul aria-label={word}>
        {shown.map((line) => (
          <Line key={line.key + line.scope} line={line} symbol={symbol} tone={tone} />
        ))}
      </ul>
      {lines.length > SHOWN && (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fold" : `and ${lines.length - SHOWN} keys more`}
        </button>
      )}
    </>
  );
}

function Line({ line, symbol, tone }: { line: Gathered; symbol: string; tone: string }) {
  return (
    <li>
      <span className={`mono tone-${tone}`}>
        {symbol} {line.verbs.join(" ")}
      </span>{" "}
      <span className="mono">{line.key}</span> <span className="faint">in {line.scope || "everything"}</span>
    </li>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
