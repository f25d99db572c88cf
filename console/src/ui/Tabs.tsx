// Tabs, kept in the address under `tab`; `[` and `]` go to the one before and after.
import { Tabs as Strip } from "@mantine/core";
import type { ReactNode } from "react";
import { useParam } from "./address";
import { useKeys } from "./keys";

export interface Tab {
  key: string;
  title: string;
  count?: number;
  show: () => ReactNode;
}

export function Tabs({ tabs, param = "tab" }: { tabs: Tab[]; param?: string }) {
  const first = tabs[0]?.key ?? "";
  const [chosen, choose] = useParam(param, first);
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.key === chosen),
  );
  const step = (by: number) => choose(tabs[(at + by + tabs.length) % tabs.length]?.key ?? first);
  useKeys("tabs", [
    { keys: "[", says: "tab before", do: () => step(-1) },
    { keys: "]", says: "tab after", do: () => step(1) },
  ]);
  return (
    <Strip value={tabs[at]?.key ?? first} onChange={(value) => choose(value ?? first)} keepMounted={false}>
      <Strip.List>
        {tabs.map((tab) => (
          <Strip.Tab key={tab.key} value={tab.key}>
            {tab.title}
            {tab.count !== undefined && <span className="faint"> {tab.count}</span>}
          </Strip.Tab>
        ))}
      </Strip.List>
      {tabs.map((tab) => (
        <Strip.Panel key={tab.key} value={tab.key} pt="sm">
          {tab.key === tabs[at]?.key && tab.show()}
        </Strip.Panel>
      ))}
    </Strip>
  );
}
