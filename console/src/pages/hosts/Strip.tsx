// Heartbeats of five minutes, one cell for ten seconds.
import { useNow } from "@/ui/Ago";
import { beatsOf, CELLS, type Pulse, summaryOf } from "@/words/beats";

const STEP = 6;
const WIDTH = 5;
const HEIGHT = 16;

export function Strip({ pulse }: { pulse: Pulse }) {
  const beats = beatsOf(pulse, useNow());
  return (
    <svg
      className="hosts-pulse"
      width={CELLS * STEP}
      height={HEIGHT}
      viewBox={`0 0 ${CELLS * STEP} ${HEIGHT}`}
      role="img"
      aria-label={summaryOf(beats)}
    >
      <title>{summaryOf(beats)}</title>
      {beats.map((beat, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are places, not things
          key={at}
          className={`hosts-beat-${beat}`}
          x={at * STEP}
          // What is silent is lower too: never colour alone.
          y={beat === "silent" ? HEIGHT / 2 : beat === "unknown" ? HEIGHT - 4 : 0}
          width={WIDTH}
          height={beat === "silent" ? HEIGHT / 2 : beat === "unknown" ? 4 : HEIGHT}
          rx={1}
        />
      ))}
    </svg>
  );
}
