// What was asked and answered, kept for all pages.
import { onlineManager, QueryClient } from "@tanstack/react-query";
import { connection } from "./connection";
import { ifUnanswered, Refusal } from "./request";

const REFUSED = 400;
const BROKEN = 500;

// While the connection is cut questions wait, and what was answered before stays.
onlineManager.setEventListener((setOnline) => connection.watch(() => setOnline(connection.now() === null)));

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What is on screen is kept fresh by the stream, not by asking again.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; no answer may be followed by one.
      retry: (times, error) => ifUnanswered(times, error) || (times < 2 && !isRefused(error)),
    },
    // A write is sent when it is pressed or not at all, never later by itself.
    mutations: { networkMode: "always" },
  },
});

const isRefused = (error: unknown) =>
  error instanceof Refusal && error.status < BROKEN && error.status >= REFUSED;
