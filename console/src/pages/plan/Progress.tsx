// After a yes: each object with its step, how long it takes and usually does, and every attempt that was made.
import { useInfiniteQuery } from "@tanstack/react-query";
import { type Attempt, type Moving, progressQuery, type Review } from "@/api/plans";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { Badge, VerbBadge } from "@/ui/StateBadge";
import type { Tone } from "@/words/state";
import { span } from "@/words/time";
import { waves } from "./waves";

const STEPS: Record<Moving["state"], { word: string; symbol: string; tone: Tone }> = {
  waiting: { word: "waits its turn", symbol: "…", tone: "gray" },
  later: { word: "asked to come later", symbol: "…", tone: "yellow" },
  started: { word: "calling the provider", symbol: "▸", tone: "blue" },
  unknown: { word: "no answer yet; looking", symbol: "?", tone: "yellow" },
  done: { word: "done", symbol: "=", tone: "green" },
  failed: { word: "failed", symbol: "✗", tone: "red" },
};

export function Progress({ beside }: { beside: Review }) {
  const { organization = "" } = useScope();
  const query = useInfiniteQuery(progressQuery(organization, beside.id));
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  const { done = 0, failed = 0 } = beside.progress;
  const all = Object.values(beside.progress).reduce((sum, count) => sum + count, 0);
  return (
    <section className="plan-progress card" aria-label="progress">
      <h2>
        {done} of {all} done{failed > 0 && <span className="tone-red"> · {failed} failed</span>}
        <span className="faint">
          {" "}
          · decided <Ago at={beside.decided_at} />
        </span>
      </h2>
      <progress max={1} value={all ? done / all : 0} aria-label="share that is done" />
      <div className="plan-waves">
        {waves(rows).map((wave, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: waves are numbered
          <div className="plan-wave" key={number}>
            <h3>{wave.title}</h3>
            <ul className="plain">
              {wave.rows.map((row) => (
                <Row key={row.item} row={row} usual={beside.usual[row.verb]} />
              ))}
            </ul>
          </div>
        ))}
      </div>
      {query.hasNextPage && (
        <button type="button" className="link" onClick={() => void query.fetchNextPage()}>
          {rows.length} of {all} shown, show more
        </button>
      )}
    </section>
  );
}

function Row({ row, usual }: { row: Moving; usual?: { p50: number; p90: number } }) {
  const last = row.attempts.at(-1);
  const step = STEPS[row.state];
  const earlier = row.attempts.slice(0, -1);
  return (
    <li className="plan-progress-row" data-state={row.state}>
      <div className="row wrap">
        <VerbBadge verb={row.verb} />
        <span className="mono grow">{row.item}</span>
        <Badge symbol={step.symbol} tone={step.tone} word={step.word} />
        {last && <Took attempt={last} usual={usual} />}
      </div>
      {last?.detail && row.state !== "done" && <div className="tone-red">{last.detail}</div>}
      {earlier.length > 0 && (
        <details className="faint">
          <summary>{earlier.length === 1 ? "1 attempt before" : `${earlier.length} attempts before`}</summary>
          <ul className="plain">
            {earlier.map((each) => (
              <li key={each.id}>
                {each.state} <Ago at={each.began_at} /> {each.detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Took({ attempt, usual }: { attempt: Attempt; usual?: { p50: number; p90: number } }) {
  const now = useNow();
  const until = attempt.ended_at ? Date.parse(attempt.ended_at) : now;
  const seconds = (until - Date.parse(attempt.began_at)) / 1000;
  const slow = usual && !attempt.ended_at && seconds > Math.max(1, usual.p90);
  return (
    <span className={slow ? "number tone-orange" : "number faint"} title={`act ${attempt.id}`}>
      {short(seconds)}
      {usual && <> · usually {short(usual.p50)}</>}
      {slow && " · longer than nine in ten"}
    </span>
  );
}

const short = (seconds: number) =>
  seconds < 1 ? `${Math.round(Math.max(0, seconds) * 1000)} ms` : span(seconds);
