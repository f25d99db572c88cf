// The one way to the API. A refusal is thrown as a value that keeps the whole problem document.

import type { paths } from "./schema";
import type { Problem } from "./shapes";

export type Route = keyof paths & string;
export type Query = Record<string, string | number | boolean | undefined>;
export type Values = Record<string, string>;

export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
  get status(): number {
    return this.problem.status;
  }
}

export interface Sent {
  body?: unknown;
  query?: Query;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A route of the contract with its values filled in; a route that is not served does not compile. */
export function at(route: Route, values: Values = {}): string {
  return route.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

export function withQuery(path: string, query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  send<T>("GET", path, { query, signal });

/** Sends, and answers with the body; throws a `Refusal` for everything but success. */
export async function send<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json", ...sent.headers };
  if (sent.body !== undefined && !headers["Content-Type"]) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(withQuery(path, sent.query), {
      method,
      headers,
      body: sent.body === undefined ? undefined : JSON.stringify(sent.body),
      signal: sent.signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(unreachable(path));
  }
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const refusal = new Refusal(await problemOf(response, path));
  if (refusal.status === 401) signedOut.dispatchEvent(new Event("out"));
  throw refusal;
}

/** Tells the router that the session is over, whoever noticed. */
export const signedOut = new EventTarget();

async function problemOf(response: Response, path: string): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    const detail = `${path} answered ${response.status} without saying why`;
    return {
      ...unreachable(path),
      status: response.status,
      code: "unexplained",
      title: "unexplained",
      detail,
    };
  }
}

function unreachable(path: string): Problem {
  return {
    type: "",
    title: "no answer",
    status: 0,
    code: "no_answer",
    detail: `no answer from the server to ${path}`,
    hint: "is it still running? the page goes on by itself when it answers",
    instance: path,
    trace_id: "",
    retryable: true,
  };
}
