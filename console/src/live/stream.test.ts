// @vitest-environment node
import { afterEach, expect, test, vi } from "vitest";
import { frames } from "./frames";
import { Stream, type Word } from "./stream";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("frames are cut out of bytes however they come, and the rest is kept", () => {
  const whole = 'id: 1\ndata: {"a":1}\n\n: still here\n\nid: 2\ndata: {"b":2}\n\nid: 3\nda';
  const { found, rest } = frames(whole);
  expect(found).toEqual([
    { id: "1", data: '{"a":1}' },
    { id: "", data: "" },
    { id: "2", data: '{"b":2}' },
  ]);
  expect(rest).toBe("id: 3\nda");
  expect(frames(`${rest}ta: {}\n\n`).found).toEqual([{ id: "3", data: "{}" }]);
});

/** Answers with these bodies, one for each time it is asked; then it waits for ever. */
function served(...answers: (string | number)[]): { asked: Headers[] } {
  const asked: Headers[] = [];
  vi.stubGlobal("fetch", async (_: string, sent: RequestInit) => {
    asked.push(new Headers(sent.headers));
    const next = answers.shift();
    if (next === undefined) return new Promise(() => {});
    return typeof next === "number" ? new Response("", { status: next }) : new Response(next);
  });
  return { asked };
}

async function heard(words: Word[], sort: Word["sort"]): Promise<Word> {
  await vi.waitFor(() => expect(words.some((word) => word.sort === sort)).toBe(true));
  return words.find((word) => word.sort === sort) as Word;
}

test("events are told in order, and after a cut the stream goes on behind the last one", async () => {
  const { asked } = served('id: 7\ndata: {"ref":"host/1"}\n\n', "");
  const words: Word[] = [];
  const stream = new Stream("acme", (word) => words.push(word));
  expect(await heard(words, "told")).toMatchObject({ organization: "acme", events: [{ ref: "host/1" }] });
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
  stream.stop();
  expect(asked[0]?.get("Last-Event-ID")).toBeNull();
  expect(asked[1]?.get("Last-Event-ID")).toBe("7");
});

test("what was told lately is told again to a page that begins to listen, and then no more", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  served('id: 7\ndata: {"ref":"host/1"}\n\n');
  const words: Word[] = [];
  const stream = new Stream("acme", (word) => words.push(word));
  await heard(words, "told");
  stream.stop();
  expect(stream.again()).toMatchObject({ sort: "told", events: [{ ref: "host/1" }] });
  vi.setSystemTime(Date.now() + 11_000);
  expect(stream.again()).toMatchObject({ sort: "told", events: [] });
});

test("where more was told lately than is kept, a page that begins to listen is told of a gap", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  served(Array.from({ length: 201 }, (_, at) => `id: ${at}\ndata: {"ref":"host/${at}"}\n\n`).join(""));
  const words: Word[] = [];
  const stream = new Stream("acme", (word) => words.push(word));
  await heard(words, "told");
  stream.stop();
  expect(stream.again().sort).toBe("gap");
  vi.setSystemTime(Date.now() + 11_000);
  expect(stream.again()).toMatchObject({ sort: "told", events: [] });
});

test("a place that is gone is a gap: pages read again, and the stream begins anew", async () => {
  const { asked } = served('id: 7\ndata: {"ref":"host/1"}\n\n', 410, "");
  const words: Word[] = [];
  const stream = new Stream("acme", (word) => words.push(word));
  await heard(words, "gap");
  await vi.waitFor(() => expect(asked.length).toBe(3), { timeout: 3000 });
  stream.stop();
  expect(asked[2]?.get("Last-Event-ID")).toBeNull();
});

test("whoever is signed out is told so, and nothing is asked any more", async () => {
  const { asked } = served(401);
  const words: Word[] = [];
  new Stream("acme", (word) => words.push(word));
  expect(await heard(words, "health")).toMatchObject({ health: "signed out" });
  expect(asked).toHaveLength(1);
});
