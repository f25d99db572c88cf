// A state, a mode or a verb as a word with its symbol; never colour alone.
import type { Mode, State } from "@/api/shapes";
import { MODES, STATES, type Tone, VERBS } from "@/words/state";

export function StateBadge({ state }: { state: State }) {
  const { symbol, tone } = STATES[state] ?? { symbol: "?", tone: "gray" };
  return <Badge symbol={symbol} tone={tone} word={state} />;
}

export function ModeBadge({ mode }: { mode: Mode }) {
  return <Badge symbol={MODES[mode].symbol} tone={MODES[mode].tone} word={MODES[mode].is} />;
}

export function VerbBadge({ verb }: { verb: string }) {
  const { symbol, tone } = VERBS[verb] ?? { symbol: "?", tone: "gray" };
  return <Badge symbol={symbol} tone={tone} word={verb} />;
}

export function Badge({ symbol, tone, word }: { symbol?: string; tone: Tone; word: string }) {
  return (
    <span className={`badge tone-${tone}`}>
      {symbol && <span aria-hidden>{symbol}</span>}
      {word}
    </span>
  );
}
