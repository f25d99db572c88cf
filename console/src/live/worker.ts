/// <reference lib="webworker" />
// Shared by all tabs of a browser: holds one stream for each organization that some tab looks at.
import { Stream, type Word } from "./stream";

interface Tab {
  port: MessagePort;
  organization: string;
  seen: number;
}

export type Wish =
  | { sort: "follow"; organization: string }
  | { sort: "alive" }
  | { sort: "flipped" }
  | { sort: "retry" }
  | { sort: "bye" };

const GONE_MS = 60_000; // A tab says that it is there every 20 s; one that crashed says no goodbye.
const tabs = new Set<Tab>();
const streams = new Map<string, Stream>();

(self as unknown as SharedWorkerGlobalScope).onconnect = ({ ports }) => {
  const port = ports[0];
  if (!port) return;
  const tab: Tab = { port, organization: "", seen: Date.now() };
  tabs.add(tab);
  port.onmessage = ({ data }: MessageEvent<Wish>) => heard(tab, data);
};

setInterval(() => {
  for (const tab of tabs) if (Date.now() - tab.seen > GONE_MS) tabs.delete(tab);
  tidy();
}, GONE_MS / 3);

function heard(tab: Tab, wish: Wish): void {
  tab.seen = Date.now();
  tabs.add(tab);
  if (wish.sort === "bye") tabs.delete(tab);
  if (wish.sort === "flipped")
    for (const each of tabs) each.port.postMessage({ sort: "flipped" } satisfies Word);
  if (wish.sort === "retry") streams.get(tab.organization)?.retry();
  if (wish.sort === "follow") follow(tab, wish.organization);
  tidy();
}

function follow(tab: Tab, organization: string): void {
  tab.organization = organization;
  const known = streams.get(organization);
  const ended = known?.health === "signed out";
  if (!known || ended) streams.set(organization, new Stream(organization, say));
  tab.port.postMessage((streams.get(organization) as Stream).state());
  if (known) tab.port.postMessage(known.again());
}

function say(word: Word): void {
  for (const tab of tabs)
    if (word.sort === "flipped" || tab.organization === word.organization) tab.port.postMessage(word);
}

function tidy(): void {
  const wanted = new Set([...tabs].map((tab) => tab.organization));
  for (const [organization, stream] of streams) {
    if (wanted.has(organization)) continue;
    stream.stop();
    streams.delete(organization);
  }
}
