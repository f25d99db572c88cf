// Every page and its address, one line each. A page is a file in pages/ with a default export, loaded when it is opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { Frame } from "@/frame/Frame";
import { Missing } from "@/frame/Missing";

type Load = () => Promise<{ default: ComponentType }>;

/** Inside the frame: only whoever is signed in gets there. */
const PAGES: Record<string, Load> = {
  "/now": () => import("@/pages/Now"),
  "/inbox": () => import("@/pages/Inbox"),
  "/plans/$id": () => import("@/pages/Plan"),
  "/inventory": () => import("@/pages/Inventory"),
  "/inventory/$kind/$": () => import("@/pages/Resource"),
  "/declare/$kind": () => import("@/pages/Declare"),
  "/loops": () => import("@/pages/Loops"),
  "/loops/$kind": () => import("@/pages/Loop"),
  "/tasks": () => import("@/pages/Tasks"),
  "/tasks/$id": () => import("@/pages/Task"),
  "/providers": () => import("@/pages/Providers"),
  "/hosts": () => import("@/pages/Hosts"),
  "/access": () => import("@/pages/Access"),
  "/audit": () => import("@/pages/Audit"),
  "/me": () => import("@/pages/Me"),
};

const root = createRootRoute({
  validateSearch: (search) => search as Record<string, string | undefined>,
  notFoundComponent: Missing,
});
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });
const pages = Object.entries(PAGES).map(([path, load]) =>
  createRoute({ getParentRoute: () => frame, path, component: lazyRouteComponent(load) }),
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
