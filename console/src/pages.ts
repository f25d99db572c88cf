// Every page and its address, one line each. A page is a file in pages/ with a default export, loaded when it is opened.
import type { ComponentType } from "react";

export type Load = () => Promise<{ default: ComponentType }>;

/** Inside the frame: only whoever is signed in gets there. */
export const PAGES: Record<string, Load> = {
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
