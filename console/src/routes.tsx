// Pages in their frame, and the doors outside of it.
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { askAhead, askAheadOfFrame } from "@/ahead";
import { Frame } from "@/frame/Frame";
import { latePage } from "@/frame/latePage";
import { Missing } from "@/frame/Missing";
import { Mistaken } from "@/frame/Mistaken";
import { PAGES } from "@/pages";
import type { Search } from "@/ui/address";

const root = createRootRoute({
  validateSearch: (search) => search as Search,
  notFoundComponent: Missing,
});
const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: Frame,
  loader: ({ location, cause }) => {
    if (cause !== "stay") askAheadOfFrame(location.search as Search);
  },
});
const late = Object.fromEntries(Object.entries(PAGES).map(([path, load]) => [path, latePage(load)]));
const pages = Object.entries(late).map(([path, component]) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    component,
    loader: ({ location, cause }) => {
      if (cause !== "stay") askAhead(path, location.search as Search);
    },
  }),
);
const first = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/now" as never });
  },
});
const doors = ["/sign-in", "/start"].map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: latePage(() => import("@/pages/SignIn")),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([first, ...doors, frame.addChildren(pages)]),
  defaultPreload: "intent",
  defaultErrorComponent: Mistaken,
  // Plain text on both sides: `5` in an address is what somebody typed, not a number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
    return text ? `?${text}` : "";
  },
});

/** Every page's file, one after the other: a section that was never opened opens without the server too. */
export async function fetchPages(): Promise<void> {
  for (const page of Object.values(late)) await page.preload();
}
