// One event stream of one organization, kept open: resumed after a cut where it left off, so nothing is missed.
import type { Told } from "@/api/shapes";
import { frames } from "./frames";

export type Health = "live" | "catching up" | "polling" | "signed out";
export type Word =
  | { sort: "told"; organization: string; events: Told[] }
  /** `heard`: when the server said something last. */
  | { sort: "health"; organization: string; health: Health; heard: number }
  | { sort: "gap"; organization: string }
  /** Of a page that begins to listen: what was told lately is told again. */
  | { sort: "again"; organization: string }
  | { sort: "flipped" };

const SILENCE_MS = 22_000; // The server says something every 15 s.
const RETRY_MS = [250, 1_000, 2_000, 3_000];
const PATIENT_TRIES = 2;
/** A page reads first and listens then: what happened meanwhile is told too. Longer than a slow page takes to be drawn. */
const BACK_SECONDS = 10;
const MOST_RECENT = 200;

export class Stream {
  health: Health = "catching up";
  /** What was told these last seconds, for a page that begins to listen now. */
  private told: { heard: number; event: Told }[] = [];
  /** When the latest of those was heard that are not kept any more. */
  private dropped = 0;
  private last = "";
  private tries = 0;
  private stopped = new AbortController();
  private heard = Date.now();
  private wake = () => {};

  constructor(
    readonly organization: string,
    private readonly say: (word: Word) => void,
  ) {
    void this.run();
  }

  stop(): void {
    this.stopped.abort();
  }

  /** The server answers again: the next try need not wait. */
  retry(): void {
    this.wake();
  }

  /** Its health, as it is told. */
  state(): Word {
    return { sort: "health", organization: this.organization, health: this.health, heard: this.heard };
  }

  private async run(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      try {
        await this.follow();
      } catch {
        // A cut: what was missed is told after `Last-Event-ID` when the stream is back.
      }
      if (this.stopped.signal.aborted || this.health === "signed out") return;
      this.turn(this.tries >= PATIENT_TRIES ? "polling" : "catching up");
      await this.pause(RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)] ?? 0);
      this.tries += 1;
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((done) => {
      this.wake = done;
      setTimeout(done, ms);
    });
  }

  private async follow(): Promise<void> {
    const cut = new AbortController();
    const cutNow = () => cut.abort();
    this.stopped.signal.addEventListener("abort", cutNow);
    let silence = setTimeout(cutNow, SILENCE_MS);
    try {
      const response = await fetch(
        `/v1/organizations/${encodeURIComponent(this.organization)}/events?watch=1&back=${BACK_SECONDS}`,
        {
          headers: this.last ? { "Last-Event-ID": this.last } : {},
          signal: cut.signal,
          credentials: "same-origin",
        },
      );
      if (!response.ok || !response.body) return this.refused(response.status);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(cutNow, SILENCE_MS);
        rest = this.take(rest + value);
      }
    } finally {
      clearTimeout(silence);
      this.stopped.signal.removeEventListener("abort", cutNow);
    }
  }

  private take(text: string): string {
    const { found, rest } = frames(text);
    const events: Told[] = [];
    for (const each of found) {
      if (each.id) this.last = each.id;
      if (each.data) events.push(JSON.parse(each.data) as Told);
    }
    this.tries = 0;
    this.heard = Date.now();
    this.turn("live");
    this.keep(events);
    if (events.length) this.say({ sort: "told", organization: this.organization, events });
    return rest;
  }

  private keep(events: Told[]): void {
    const known = [...this.recent(), ...events.map((event) => ({ heard: Date.now(), event }))];
    this.dropped = known.at(-MOST_RECENT - 1)?.heard ?? this.dropped;
    this.told = known.slice(-MOST_RECENT);
  }

  /** For a page that begins to listen: the events of the last seconds, or a gap where they were more than are kept. */
  again(): Word {
    const { organization } = this;
    if (this.dropped > Date.now() - BACK_SECONDS * 1000) return { sort: "gap", organization };
    return { sort: "told", organization, events: this.recent().map(({ event }) => event) };
  }

  private recent() {
    return this.told.filter(({ heard }) => heard > Date.now() - BACK_SECONDS * 1000);
  }

  private refused(status: number): void {
    if (status === 401) this.turn("signed out");
    if (status === 410) {
      // Our place in the order is gone: begin anew, and let pages read again.
      this.last = "";
      this.say({ sort: "gap", organization: this.organization });
    }
  }

  private turn(health: Health): void {
    if (this.health === health) return;
    this.health = health;
    this.say(this.state());
  }
}
