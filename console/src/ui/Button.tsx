// A button that, where it cannot be pressed, says why: on hover, on focus, and to screen readers.
import { Button as Pressed, Tooltip } from "@mantine/core";
import { forwardRef, type MouseEvent, type ReactNode, useId } from "react";

export interface ButtonProps {
  children: ReactNode;
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  /** Why it cannot be pressed now; empty or missing where it can. */
  whyNot?: string | null;
  look?: "plain" | "main" | "danger" | "quiet";
  icon?: ReactNode;
  busy?: boolean;
  type?: "button" | "submit";
  label?: string;
  small?: boolean;
  keys?: string;
  expanded?: boolean;
}

const LOOKS = {
  plain: { variant: "default", color: undefined },
  main: { variant: "filled", color: undefined },
  danger: { variant: "outline", color: "red" },
  quiet: { variant: "subtle", color: "gray" },
} as const;

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(props, ref) {
  const {
    children,
    onClick,
    whyNot,
    look = "plain",
    icon,
    busy,
    type = "button",
    label,
    small = true,
    keys,
  } = props;
  const id = useId();
  // Not `disabled`: that takes it out of reach of the keyboard, and with it the reason.
  const button = (
    <Pressed
      ref={ref}
      type={type}
      size={small ? "xs" : "sm"}
      variant={LOOKS[look].variant}
      color={LOOKS[look].color}
      className={`button look-${look}`}
      leftSection={icon}
      loading={busy}
      aria-label={label}
      aria-expanded={props.expanded}
      aria-disabled={whyNot ? true : undefined}
      aria-describedby={whyNot ? id : undefined}
      data-disabled={whyNot ? true : undefined}
      aria-keyshortcuts={keys}
      onClick={(event) => {
        if (whyNot) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
    </Pressed>
  );
  if (!whyNot) return button;
  return (
    <>
      <Tooltip label={whyNot} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        {button}
      </Tooltip>
      <span id={id} className="hidden">
        {whyNot}
      </span>
    </>
  );
});
