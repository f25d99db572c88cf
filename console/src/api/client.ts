// What was asked and answered, kept for all pages.
import { QueryClient } from "@tanstack/react-query";
import { Refusal } from "./request";

const REFUSED = 400;
const BROKEN = 500;

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What is on screen is kept fresh by the stream, not by asking again.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; no answer may be followed by one.
      retry: (times, error) =>
        times < 2 && !(error instanceof Refusal && error.status >= REFUSED && error.status < BROKEN),
    },
  },
});
