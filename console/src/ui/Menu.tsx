// A small menu behind a button.
import { Menu as Dropdown } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";

export interface Choice {
  label: ReactNode;
  do: () => void;
  icon?: ReactNode;
  whyNot?: string | null;
  chosen?: boolean;
}

export function Menu({
  target,
  choices,
  title,
}: {
  target: ReactElement;
  choices: Choice[];
  title?: string;
}) {
  return (
    <Dropdown position="bottom-end" transitionProps={{ duration: 0 }} shadow="md" withinPortal>
      <Dropdown.Target>{target}</Dropdown.Target>
      <Dropdown.Dropdown>
        {title && <Dropdown.Label>{title}</Dropdown.Label>}
        {choices.map((choice, index) => (
          <Dropdown.Item
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
          </Dropdown.Item>
        ))}
      </Dropdown.Dropdown>
    </Dropdown>
  );
}
