// The sections at the left, in the order of a day. A new page adds its line here and its address in pages.ts.
import {
  Activity,
  Boxes,
  Cloud,
  FileClock,
  Inbox,
  ListChecks,
  type LucideIcon,
  Repeat,
  Server,
  ShieldCheck,
  User,
} from "lucide-react";

export interface Section {
  path: string;
  title: string;
  /** After `g`. */
  letter: string;
  icon: LucideIcon;
}

const SECTIONS: Section[] = [
  { path: "/now", title: "Now", letter: "n", icon: Activity },
  { path: "/inbox", title: "Inbox", letter: "i", icon: Inbox },
  { path: "/inventory", title: "Inventory", letter: "v", icon: Boxes },
  { path: "/loops", title: "Loops", letter: "l", icon: Repeat },
  { path: "/tasks", title: "Tasks", letter: "t", icon: ListChecks },
  { path: "/providers", title: "Providers", letter: "p", icon: Cloud },
  { path: "/hosts", title: "Hosts", letter: "h", icon: Server },
  { path: "/access", title: "Access", letter: "a", icon: ShieldCheck },
  { path: "/audit", title: "Audit", letter: "u", icon: FileClock },
  { path: "/me", title: "Me & tokens", letter: "m", icon: User },
];

export const useSections = () => SECTIONS;
