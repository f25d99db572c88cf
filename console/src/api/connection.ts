// Whether the server answers. One failed request is a suspicion: it is tried again at once, and only when that fails too
// is the connection cut. From then on the server is tried every few seconds until it answers. Pages keep what they show,
// questions wait (TanStack Query pauses them), and nothing is written.
import { useSyncExternalStore } from "react";

export interface Cut {
  /** When it was noticed. */
  since: number;
  /** When the server was heard last: what is on screen is from then. */
  heard: number;
  /** When it is tried next. */
  next: number;
}

export const TRY_EVERY_MS = 3_000;
const FIRST_TRY_MS = 4_000;
const PATIENCE_MS = 10_000;
/** What a proxy answers with when nothing is behind it. */
const NOBODY = [502, 503, 504];

export class Connection {
  private cut: Cut | null = null;
  private heardAt = Date.now();
  private suspected: Promise<boolean> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchers = new Set<() => void>();

  constructor(private readonly ask: (signal: AbortSignal) => Promise<boolean>) {}

  now = (): Cut | null => this.cut;

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    return () => this.watchers.delete(changed);
  };

  /** The server answered, whatever it said. */
  heard(): void {
    this.wasHeard(Date.now());
    if (!this.cut) return;
    clearTimeout(this.timer);
    this.tell(null);
  }

  /** The server said something then, by whoever listens; it may be silent since. */
  wasHeard(at: number): void {
    this.heardAt = Math.max(this.heardAt, at);
  }

  /** A request got no answer, or the stream ended: tries once more before the connection is called cut. */
  suspect(): Promise<boolean> {
    if (this.cut) return Promise.resolve(false);
    this.suspected ??= this.attempt(FIRST_TRY_MS).then((answered) => {
      this.suspected = null;
      if (!answered && !this.cut) this.begin();
      return answered;
    });
    return this.suspected;
  }

  /** Tries now rather than at the next turn. */
  async tryNow(): Promise<boolean> {
    if (!this.cut) return true;
    clearTimeout(this.timer);
    return this.turn();
  }

  private begin(): void {
    const now = Date.now();
    this.tell({ since: now, heard: Math.min(this.heardAt, now), next: now });
    void this.turn();
  }

  /** One try, and the next is set: it begins on time even where this one hangs. */
  private turn(): Promise<boolean> {
    if (!this.cut) return Promise.resolve(true);
    this.tell({ ...this.cut, next: Date.now() + TRY_EVERY_MS });
    this.timer = setTimeout(() => void this.turn(), TRY_EVERY_MS);
    return this.attempt(PATIENCE_MS);
  }

  private async attempt(patience: number): Promise<boolean> {
    const answered = await this.ask(AbortSignal.timeout(patience)).catch(() => false);
    if (answered) this.heard();
    return answered;
  }

  private tell(cut: Cut | null): void {
    this.cut = cut;
    for (const changed of this.watchers) changed();
  }
}

export const connection = new Connection(async (signal) => {
  const response = await fetch("/livez", { signal, cache: "no-store", credentials: "same-origin" });
  return !isNobody(response.status);
});

export const isNobody = (status: number) => NOBODY.includes(status);

if (typeof window !== "undefined") {
  // Hints only: a browser that calls itself offline may well reach a server on the same machine.
  addEventListener("online", () => void connection.tryNow());
  addEventListener("offline", () => void connection.suspect());
  document.addEventListener("visibilitychange", () => !document.hidden && void connection.tryNow());
}

export function useCut(): Cut | null {
  return useSyncExternalStore(connection.watch, connection.now);
}

/** Why nothing can be changed now; empty while the server answers. */
export function useCannotWrite(): string {
  return useCut() ? NO_WRITES : "";
}

export const NO_WRITES = "no connection to the server: nothing can be changed until it is back";

/** Resolves when the server answers: at once where it does. */
export function connected(): Promise<void> {
  return new Promise((done) => {
    if (!connection.now()) return done();
    const stop = connection.watch(() => {
      if (connection.now()) return;
      stop();
      done();
    });
  });
}
