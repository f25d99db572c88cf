// The one way to the API. A refusal is thrown as a value that keeps the whole problem document.

import { connection, isNobody, NO_WRITES } from "./connection";
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
  return (await ask<T>(method, path, sent)).body;
}

export interface Answer<T> {
  body: T;
  headers: Headers;
}

/** The same with the headers of the answer. */
export async function ask<T>(method: string, path: string, sent: Sent = {}): Promise<Answer<T>> {
  const headers: Record<string, string> = { Accept: "application/json", ...sent.headers };
  if (sent.body !== undefined && !headers["Content-Type"]) headers["Content-Type"] = "application/json";
  const writes = method !== "GET";
  if (writes && connection.now() && !(await connection.tryNow())) throw new Refusal(unsent(path));
  try {
    const response = await fetch(withQuery(path, sent.query), {
      method,
      headers,
      body: sent.body === undefined ? undefined : JSON.stringify(sent.body),
      signal: sent.signal,
      credentials: "same-origin",
    });
    const text = await response.text();
    if (isNobody(response.status) && !isJson(response)) throw new TypeError("a proxy answered for nobody");
    connection.heard();
    if (response.ok) return { body: (text ? JSON.parse(text) : undefined) as T, headers: response.headers };
    throw refusalOf(response.status, text, path);
  } catch (error) {
    if (error instanceof Refusal || (error instanceof DOMException && error.name === "AbortError"))
      throw error;
    void connection.suspect();
    throw new Refusal(unanswered(path, writes));
  }
}

const isJson = (response: Response) => /json/.test(response.headers.get("Content-Type") ?? "");

function refusalOf(status: number, text: string, path: string): Refusal {
  if (status === 401) signedOut.dispatchEvent(new Event("out"));
  try {
    return new Refusal(JSON.parse(text) as Problem);
  } catch {
    return new Refusal(unexplained(status, path));
  }
}

/** Whether a question got no answer at all: it is asked again when the server is back. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Refusal && error.problem.code === NO_ANSWER;

const TRIES = 5;

/** How often a question is asked: once, but for want of an answer again; while the connection is cut that waits. */
export const ifUnanswered = (times: number, error: unknown): boolean =>
  isUnanswered(error) && (connection.now() !== null || times < TRIES);

/** Tells the router that the session is over, whoever noticed. */
export const signedOut = new EventTarget();

const NO_ANSWER = "no_answer";

function unexplained(status: number, path: string): Problem {
  const detail = `${path} answered ${status} without a reason`;
  return { ...UNKNOWN, status, code: "unexplained", title: "no reason given", detail };
}

function unanswered(path: string, writes: boolean): Problem {
  const hint = writes
    ? "it may have been done or not: look at the object before you send it again"
    : "it is asked again by itself when the server is back";
  return { ...UNKNOWN, detail: `the server did not answer to ${path}`, hint, instance: path };
}

function unsent(path: string): Problem {
  return { ...UNKNOWN, title: "not sent", detail: NO_WRITES, instance: path };
}

const UNKNOWN: Problem = {
  type: "",
  title: "no answer",
  status: 0,
  code: NO_ANSWER,
  detail: "",
  instance: "",
  trace_id: "",
  retryable: true,
};
