// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, TRY_EVERY_MS } from "./connection";

const START = Date.parse("2026-11-18T05:01:07Z");

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function served(answers: boolean[]): { connection: Connection; asked: () => number } {
  const ask = vi.fn(async () => answers.shift() ?? false);
  return { connection: new Connection(ask), asked: () => ask.mock.calls.length };
}

test("one request without an answer is no cut where the server answers at once", async () => {
  const { connection, asked } = served([true]);
  expect(await connection.suspect()).toBe(true);
  expect(connection.now()).toBeNull();
  expect(asked()).toBe(1);
});

test("a cut says since when, from when what is shown is, and when it is tried again", async () => {
  const { connection } = served([false]);
  connection.heard();
  await vi.advanceTimersByTimeAsync(5_000);
  await connection.suspect();
  expect(connection.now()).toEqual({
    since: START + 5_000,
    heard: START,
    next: START + 5_000 + TRY_EVERY_MS,
  });
});

test("the server is tried on time also while an earlier try hangs", async () => {
  const waiting: ((answered: boolean) => void)[] = [];
  const connection = new Connection(() => new Promise((done) => waiting.push(done)));
  const suspected = connection.suspect();
  waiting.shift()?.(false);
  await suspected;
  await vi.advanceTimersByTimeAsync(3 * TRY_EVERY_MS);
  expect(waiting.length).toBe(4);
  waiting.at(-1)?.(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.now()).toBeNull();
});

test("whoever watches is told of the end once, and questions may be asked again", async () => {
  const { connection } = served([false, false, true]);
  await connection.suspect();
  const ends: boolean[] = [];
  connection.watch(() => ends.push(connection.now() === null));
  await vi.advanceTimersByTimeAsync(TRY_EVERY_MS);
  expect(ends.filter(Boolean)).toEqual([true]);
  expect(connection.now()).toBeNull();
  await vi.advanceTimersByTimeAsync(10 * TRY_EVERY_MS);
  expect(connection.now()).toBeNull();
});

test("a try on demand does not wait for the next turn", async () => {
  const { connection, asked } = served([false, false, true]);
  await connection.suspect();
  const before = asked();
  expect(await connection.tryNow()).toBe(true);
  expect(asked()).toBe(before + 1);
  expect(connection.now()).toBeNull();
});

test("what a listener heard earlier ends no cut", async () => {
  const { connection } = served([false]);
  await connection.suspect();
  connection.wasHeard(START);
  expect(connection.now()).not.toBeNull();
});
