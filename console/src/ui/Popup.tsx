// A small panel under a button, that stays while one chooses in it.
import { Popover } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";

export function Popup({
  open,
  close,
  target,
  label,
  children,
}: {
  open: boolean;
  close: () => void;
  target: ReactElement;
  label: string;
  children: ReactNode;
}) {
  return (
    <Popover
      opened={open}
      onChange={(opened) => !opened && close()}
      position="bottom-end"
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
    </Popover>
  );
}
