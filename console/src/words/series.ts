// Numbers over time, made ready to be drawn. Pure.

/** Each layer on top of those before it: the first lies on the ground. */
export function stacked(layers: number[][]): number[][] {
  const sums: number[] = [];
  return layers.map((layer) =>
    layer.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + value;
      return sums[at] as number;
    }),
  );
}

/** One change beside a thousand is still seen, and nothing is nothing. */
export const lifted = (size: number): number => Math.log1p(size);

/** Where an axis of lifted sizes has its lines: nothing, one, ten, a hundred … up to the highest. */
export function marks(highest: number): number[] {
  const found = [0];
  for (let mark = 1; lifted(mark) <= highest + 1e-9; mark *= 10) found.push(mark);
  return found;
}

/** "12 ms", "1.4 s", "2 min": short enough for a cell. */
export function took(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 99.5) return `${Number(seconds.toPrecision(2))} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** What a picture says to somebody who does not see it. */
export function spoken(names: string[], layers: number[][]): string {
  const sums = layers.map((layer) => layer.reduce((sum, value) => sum + value, 0));
  const number = layers[0]?.length ?? 0;
  return `${number} decisions: ${names.map((name, at) => `${sums[at]} ${name}`).join(", ")}`;
}
