// Layers over time as areas (uPlot), loaded when the first one is drawn; each in the colour of what it means.
import { useEffect, useRef } from "react";
import type uPlot from "uplot";
import { lifted, marks, stacked } from "@/words/series";
import type { Tone } from "@/words/state";
import { clock, exact } from "@/words/time";
import { late } from "./late";
import { useUtc } from "./preferences";
import "uplot/dist/uPlot.min.css";
import "./chart.css";

const uplot = late(() => import("uplot"));

export interface Layer {
  name: string;
  tone: Tone;
  values: number[];
}

export interface ChartProps {
  /** Seconds since 1970, or just places in a row where there is no axis; rising. */
  at: number[];
  /** The first lies on the ground. */
  layers: Layer[];
  label: string;
  height: number;
  /** With axes, and the values under the pointer. */
  axes?: boolean;
}

export function Chart({ at, layers, label, height, axes = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [utc] = useUtc();
  const drawn = JSON.stringify([at, layers]);
  useEffect(() => {
    let plot: uPlot | undefined;
    let here = true;
    const sized = new ResizeObserver(() => plot?.setSize({ width: widthOf(place.current), height }));
    // Colours are read when it is drawn: in the other scheme it is drawn anew.
    const scheme = new MutationObserver(() => plot?.redraw());
    void uplot().then(({ default: Plot }) => {
      if (!here || !place.current) return;
      const [times, known] = JSON.parse(drawn) as [number[], Layer[]];
      plot = new Plot(
        optionsOf(known, { width: widthOf(place.current), height, axes, utc }),
        dataOf(times, known),
        place.current,
      );
      sized.observe(place.current);
      scheme.observe(document.documentElement, { attributeFilter: ["data-mantine-color-scheme"] });
    });
    return () => {
      here = false;
      sized.disconnect();
      scheme.disconnect();
      plot?.destroy();
    };
  }, [drawn, height, axes, utc]);
  return <div ref={place} className="chart" role="img" aria-label={label} style={{ height }} />;
}

const widthOf = (place: HTMLElement | null) => Math.max(40, place?.clientWidth ?? 0);

/** uPlot draws what comes first below: the highest layer goes first, and each covers the foot of the one before. */
function dataOf(at: number[], layers: Layer[]): uPlot.AlignedData {
  const sums = stacked(layers.map((layer) => layer.values)).reverse();
  return [at, ...sums.map((sum) => sum.map(lifted))] as uPlot.AlignedData;
}

interface Look {
  width: number;
  height: number;
  axes: boolean;
  utc: boolean;
}

function optionsOf(layers: Layer[], { width, height, axes, utc }: Look): uPlot.Options {
  const line = {
    stroke: () => colour("--faint"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const flat: uPlot.Axis = {
    ...line,
    space: 90,
    values: (_, ticks) => ticks.map((tick, at) => clock(tick, ticks[at - 1], utc)),
  };
  const upright: uPlot.Axis = {
    ...line,
    size: 40,
    splits: (plot) => marks(plot.scales.y?.max ?? 1).map(lifted),
    values: (_, ticks) => ticks.map((tick) => String(Math.round(Math.expm1(tick)))),
  };
  return {
    width,
    height,
    padding: axes ? [8, 8, 0, 0] : [2, 0, 0, 0],
    legend: { show: axes },
    cursor: { show: axes, drag: { x: false, y: false } },
    scales: {
      x: { time: axes },
      y: { range: (_, __, most) => [0, Math.max(lifted(1), most)] },
    },
    axes: axes ? [flat, upright] : [{ show: false }, { show: false }],
    series: [
      { label: "at", value: (_, seconds) => (seconds === null ? "–" : exact(seconds, utc)) },
      ...[...layers].reverse().map(seriesOf),
    ],
  };
}

function seriesOf(layer: Layer): uPlot.Series {
  return {
    label: layer.name,
    stroke: () => colour(`--${layer.tone}`),
    // What is taken away is never taken for what lies below it.
    fill: () => `${colour(`--${layer.tone}`)}${layer.tone === "red" ? "cc" : "59"}`,
    width: 1,
    points: { show: false },
    // What is drawn is a sum; what is told is the layer itself.
    value: (_, __, ___, index) => (index === null ? "–" : String(layer.values[index] ?? "–")),
  };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
