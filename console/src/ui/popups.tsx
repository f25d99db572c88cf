// What lies above a page: Mantine's menu, panel, sheet and tip. Loaded by late.ts, used through Menu, Popup, Sheet and Tip.
import { Menu, Modal, Popover, Tooltip } from "@mantine/core";
import { cloneElement, type RefObject, useEffect, useRef, useState } from "react";
import type { MenuProps } from "./Menu";
import type { PopupProps } from "./Popup";
import type { SheetProps } from "./Sheet";

const AT_ONCE = { duration: 0 };

export function MenuPopup({ target, choices, title }: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useTaken(() => setOpen(true));
  return (
    <Menu
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      transitionProps={AT_ONCE}
      shadow="md"
      withinPortal
    >
      <Menu.Target>{cloneElement(target, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {title && <Menu.Label>{title}</Menu.Label>}
        {choices.map((choice, index) => (
          <Menu.Item
            // biome-ignore lint/suspicious/noArrayIndexKey: a menu is never reordered while it is open
            key={index}
            leftSection={choice.icon}
            aria-disabled={choice.whyNot ? true : undefined}
            data-disabled={choice.whyNot ? true : undefined}
            title={choice.whyNot ?? undefined}
            aria-current={choice.chosen ? "true" : undefined}
            onClick={() => !choice.whyNot && choice.do()}
          >
            {choice.label}
            {choice.whyNot && <div className="faint">{choice.whyNot}</div>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function PanelPopup({ open, close, target, label, children }: PopupProps) {
  const [taken, setTaken] = useState(false);
  const button = useTaken(() => setTaken(true));
  return (
    <Popover
      opened={open && taken}
      onChange={(opened) => !opened && close()}
      position="bottom-end"
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
      transitionProps={AT_ONCE}
    >
      <Popover.Target>{cloneElement(target, { ref: button })}</Popover.Target>
      <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
    </Popover>
  );
}

/** The button is drawn anew inside of its popup, and focus with it: closing gives it back to what had it at opening. */
function useTaken(then: () => void): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is there
  useEffect(() => {
    button.current?.focus();
    then();
  }, []);
  return button;
}

export function SheetPopup({ close, title, label, wide, children }: SheetProps) {
  return (
    // Locking the scroll would write a style into the page, which the content policy forbids.
    <Modal
      opened
      onClose={close}
      title={title}
      withCloseButton={title !== undefined}
      padding={title === undefined ? 0 : undefined}
      attributes={label ? { content: { "aria-label": label } } : undefined}
      size={wide ? "xl" : "md"}
      lockScroll={false}
      returnFocus={false}
      closeButtonProps={{ "aria-label": "close" }}
      transitionProps={AT_ONCE}
    >
      {children}
    </Modal>
  );
}

export function TipPopup({ on, says }: { on: HTMLElement; says: string }) {
  return <Tooltip opened target={on} label={says} multiline maw={320} transitionProps={AT_ONCE} />;
}
