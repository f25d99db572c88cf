// Pages in their frame, and the doors outside of it.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { askAhead, askAheadOfFrame } from "@/ahead";
import { Frame } from "@/frame/Frame";
import { Missing } from "@/frame/Missing";
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
const pages = Object.entries(PAGES).map(([path, load]) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    component: lazyRouteComponent(load),
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
    component: lazyRouteComponent(() => import("@/pages/SignIn")),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([first, ...doors, frame.addChildren(pages)]),
  defaultPreload: "intent",
  // Plain text on both sides: `5` in an address is what somebody typed, not a number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
    return text ? `?${text}` : "";
  },
});
