// How a tab hears the stream: from the shared worker, or, where there is none, from the tab that holds the lock.
import { Stream, type Word } from "./stream";
import type { Wish } from "./worker";

export interface Feed {
  follow(organization: string): void;
  flipped(): void;
  /** The server answers again: a stream that waits for its next try takes it now. */
  retry(): void;
}

const ALIVE_MS = 20_000;

export function openFeed(hear: (word: Word) => void): Feed {
  return "SharedWorker" in globalThis ? sharedFeed(hear) : channelFeed(hear);
}

function sharedFeed(hear: (word: Word) => void): Feed {
  const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: "setpoint",
  });
  const tell = (wish: Wish) => worker.port.postMessage(wish);
  let current = "";
  worker.port.onmessage = ({ data }: MessageEvent<Word>) => hear(data);
  // Also after a sleep: the worker may have taken this tab for gone, and then it says again what it follows.
  setInterval(() => tell(current ? { sort: "follow", organization: current } : { sort: "alive" }), ALIVE_MS);
  addEventListener("pagehide", () => tell({ sort: "bye" }));
  addEventListener("pageshow", () => current && tell({ sort: "follow", organization: current }));
  return {
    follow: (organization) => {
      current = organization;
      tell({ sort: "follow", organization });
    },
    flipped: () => tell({ sort: "flipped" }),
    retry: () => tell({ sort: "retry" }),
  };
}

function channelFeed(hear: (word: Word) => void): Feed {
  const channel = new BroadcastChannel("setpoint");
  const tell = (word: Word) => {
    hear(word);
    channel.postMessage(word);
  };
  let current = "";
  let leave = () => {};
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.sort === "flipped" || data.organization === current) hear(data);
  };
  return {
    follow: (organization) => {
      if (organization === current) return;
      leave();
      current = organization;
      leave = lead(organization, tell, channel);
      channel.postMessage({ sort: "again", organization } satisfies Word);
    },
    flipped: () => tell({ sort: "flipped" }),
    // Of the tab that leads: its stream tries again within three seconds by itself.
    retry: () => {},
  };
}

/** Whoever holds the lock of an organization follows it for all; the next one takes over when that tab closes. */
function lead(organization: string, tell: (word: Word) => void, channel: BroadcastChannel): () => void {
  const left = new AbortController();
  let done = () => {};
  const until = new Promise<void>((resolve) => {
    done = resolve;
  });
  navigator.locks
    .request(`setpoint ${organization}`, { signal: left.signal }, async () => {
      const stream = new Stream(organization, tell);
      const again = ({ data }: MessageEvent<Word>) => {
        if (data.sort === "again" && data.organization === organization) channel.postMessage(stream.again());
      };
      channel.addEventListener("message", again);
      await until;
      channel.removeEventListener("message", again);
      stream.stop();
    })
    .catch(() => undefined); // Left while still waiting for the lock.
  return () => {
    left.abort();
    done();
  };
}
