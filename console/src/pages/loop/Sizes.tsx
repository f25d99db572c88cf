// How large the last decisions were, as areas: what is taken away in red on the ground, the rest above it.
import { useMemo } from "react";
import type { Decision } from "@/api/loops";
import { Chart } from "@/ui/Chart";
import { spoken } from "@/words/series";
import type { Tone } from "@/words/state";

const LAYERS: { name: string; tone: Tone; of: (each: Decision) => number }[] = [
  { name: "taken away", tone: "red", of: (each) => each.gone },
  { name: "made or changed", tone: "blue", of: (each) => each.changed },
];

/** In a cell: in the order they were made, whenever that was. */
export function Sizes({ decisions }: { decisions: Decision[] }) {
  if (decisions.length === 0) return <span className="faint">none on record</span>;
  const shown = decisions.length === 1 ? [...decisions, ...decisions] : decisions;
  return (
    <Chart
      at={shown.map((_, at) => at)}
      layers={layersOf(shown)}
      label={spoken(
        LAYERS.map((layer) => layer.name),
        layersOf(decisions).map((layer) => layer.values),
      )}
      height={32}
    />
  );
}

/** Over time, with axes: each decision is a peak, and between them nothing was to be done. */
export function SizesOverTime({ decisions }: { decisions: Decision[] }) {
  // Not a clock: it is drawn anew when there is something new to draw.
  const now = useMemo(() => Date.now() / 1000, [decisions]);
  if (decisions.length === 0) return null;
  const peaks = peaksOf(decisions, now);
  return (
    <Chart
      axes
      at={peaks.map((each) => each.seconds)}
      layers={LAYERS.map(({ name, tone }, at) => ({
        name,
        tone,
        values: peaks.map((each) => each.sizes[at] ?? 0),
      }))}
      label={spoken(
        LAYERS.map((layer) => layer.name),
        layersOf(decisions).map((layer) => layer.values),
      )}
      height={130}
    />
  );
}

function layersOf(decisions: Decision[]) {
  return LAYERS.map(({ name, tone, of }) => ({ name, tone, values: decisions.map(of) }));
}

interface Peak {
  seconds: number;
  sizes: number[];
}

/** Each decision with the ground before and after it, up to now; its peak is a thin part of all that time. */
export function peaksOf(decisions: Decision[], now: number): Peak[] {
  const times = decisions.map((each) => Date.parse(each.at) / 1000);
  const wide = Math.max(0.5, (now - (times[0] ?? now)) / 200);
  const found = new Map<number, number[]>([[now, NOTHING]]);
  // The ground first: a peak is never hidden by the foot of another.
  for (const time of times) for (const foot of [time - wide, time + wide]) found.set(foot, NOTHING);
  for (const [at, each] of decisions.entries())
    found.set(
      times[at] as number,
      LAYERS.map((layer) => layer.of(each)),
    );
  const crowded = (time: number) =>
    times.some((peak) => peak !== time && Math.abs(peak - time) < wide * 0.99);
  return [...found]
    .filter(([time, sizes]) => sizes !== NOTHING || time === now || !crowded(time))
    .map(([seconds, sizes]) => ({ seconds, sizes }))
    .sort((one, other) => one.seconds - other.seconds);
}

const NOTHING = LAYERS.map(() => 0);
