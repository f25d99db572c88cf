// Text as a QR code (ISO/IEC 18004): bytes, error correction L, versions 1 to 10, mask 0. Enough for an address.
export type Modules = boolean[][];

interface Version {
  /** Data bytes of each block; the correction of all blocks is equally long. */
  blocks: number[];
  correction: number;
  alignment: number[];
}

const VERSIONS: Version[] = [
  { blocks: [19], correction: 7, alignment: [] },
  { blocks: [34], correction: 10, alignment: [6, 18] },
  { blocks: [55], correction: 15, alignment: [6, 22] },
  { blocks: [80], correction: 20, alignment: [6, 26] },
  { blocks: [108], correction: 26, alignment: [6, 30] },
  { blocks: [68, 68], correction: 18, alignment: [6, 34] },
  { blocks: [78, 78], correction: 20, alignment: [6, 22, 38] },
  { blocks: [97, 97], correction: 24, alignment: [6, 24, 42] },
  { blocks: [116, 116], correction: 30, alignment: [6, 26, 46] },
  { blocks: [68, 68, 69, 69], correction: 18, alignment: [6, 28, 50] },
];
const FORMAT = 0b111011111000100; // Correction L, mask 0, with its own check bits.
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** Rows of dark and light, without the quiet edge; null where the text is too long. */
export function qrOf(text: string): Modules | null {
  const bytes = [...new TextEncoder().encode(text)];
  const number = VERSIONS.findIndex(({ blocks }, at) => bytes.length + (at + 1 > 9 ? 3 : 2) <= sum(blocks));
  const version = VERSIONS[number];
  if (!version) return null;
  return drawn(number + 1, version, interleaved(version, padded(number + 1, version, bytes)));
}

function padded(number: number, { blocks }: Version, bytes: number[]): number[] {
  const length = bits(bytes.length, number > 9 ? 16 : 8);
  const stream = [...bits(0b0100, 4), ...length, ...bytes.flatMap((byte) => bits(byte, 8)), 0, 0, 0, 0];
  const full = sum(blocks);
  const cut = stream.slice(0, full * 8);
  while (cut.length % 8) cut.push(0);
  const found: number[] = [];
  for (let at = 0; at < cut.length; at += 8) found.push(Number.parseInt(cut.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; found.length < full; pad ^= 0xec ^ 0x11) found.push(pad);
  return found;
}

function interleaved({ blocks, correction }: Version, data: number[]): number[] {
  let from = 0;
  const parts = blocks.map((size) => {
    const part = data.slice(from, from + size);
    from += size;
    return part;
  });
  const checks = parts.map((part) => correctionOf(part, correction));
  const across = (rows: number[][]) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, at) =>
      rows.flatMap((row) => (at < row.length ? [row[at] as number] : [])),
    ).flat();
  return [...across(parts), ...across(checks)];
}

/** Reed–Solomon over GF(256) with the polynomial 0x11d. */
export function correctionOf(data: number[], length: number): number[] {
  let generator = [1];
  for (let power = 0; power < length; power++) {
    const root = EXP[power] as number;
    generator = [...generator, 0].map(
      (each, at) => each ^ (at > 0 ? times(generator[at - 1] as number, root) : 0),
    );
  }
  const rest = [...data, ...new Array<number>(length).fill(0)];
  for (let at = 0; at < data.length; at++) {
    const lead = rest[at] as number;
    generator.forEach((each, by) => {
      rest[at + by] = (rest[at + by] as number) ^ times(each, lead);
    });
  }
  return rest.slice(data.length);
}

const EXP: number[] = [];
const LOG: number[] = [];
for (let power = 0, value = 1; power < 255; power++) {
  EXP.push(value);
  LOG[value] = power;
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1;
}
const times = (one: number, other: number) =>
  one && other ? (EXP[((LOG[one] as number) + (LOG[other] as number)) % 255] as number) : 0;

const bits = (value: number, length: number) =>
  Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1);

function drawn(number: number, version: Version, codewords: number[]): Modules {
  const size = 17 + 4 * number;
  const dark: Modules = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const taken: Modules = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const put = (row: number, column: number, value: boolean) => {
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    (dark[row] as boolean[])[column] = value;
    (taken[row] as boolean[])[column] = true;
  };
  patterns(size, version, put);
  if (number >= 7) versionBits(number, size, put);
  formatBits(size, put);
  fill(size, taken, put, codewords);
  return dark;
}

type Put = (row: number, column: number, value: boolean) => void;

function patterns(size: number, { alignment }: Version, put: Put): void {
  for (let at = 0; at < size; at++) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  const finders = [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const;
  for (const [row, column] of finders) square(row, column, 4, (ring) => ring !== 2 && ring !== 4, put);
  for (const row of alignment)
    for (const column of alignment) {
      const corner = [row, column].every((each) => each === 6 || each === size - 7);
      if (!corner || (row === size - 7 && column === size - 7))
        square(row, column, 2, (ring) => ring !== 1, put);
    }
}

function square(row: number, column: number, reach: number, isDark: (ring: number) => boolean, put: Put) {
  for (let down = -reach; down <= reach; down++)
    for (let right = -reach; right <= reach; right++)
      put(row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
}

function formatBits(size: number, put: Put): void {
  for (let at = 0; at < 15; at++) {
    const value = ((FORMAT >> at) & 1) === 1;
    if (at < 6) put(at, 8, value);
    else if (at < 8) put(at + 1, 8, value);
    else put(8, at === 8 ? 7 : 14 - at, value);
    if (at < 8) put(8, size - 1 - at, value);
    else put(size - 15 + at, 8, value);
  }
  put(size - 8, 8, true);
}

function versionBits(number: number, size: number, put: Put): void {
  let check = number;
  for (let at = 0; at < 12; at++) check = (check << 1) ^ ((check >> 11) * 0x1f25);
  const whole = (number << 12) | check;
  for (let at = 0; at < 18; at++) {
    const value = ((whole >> at) & 1) === 1;
    const [near, far] = [Math.floor(at / 3), size - 11 + (at % 3)];
    put(near, far, value);
    put(far, near, value);
  }
}

/** Two columns at a time from the right, up and down in turn, past the timing column; mask 0 is a chessboard. */
function fill(size: number, taken: Modules, put: Put, codewords: number[]): void {
  const stream = codewords.flatMap((each) => bits(each, 8));
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const up = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++)
      for (const column of [right, right - 1]) {
        const row = up ? size - 1 - step : step;
        if (taken[row]?.[column]) continue;
        put(row, column, ((stream[next++] ?? 0) === 1) !== ((row + column) % 2 === 0));
      }
  }
}
