// A button that, where it cannot be pressed, says why: on hover, on focus, and to screen readers.
import { type ComponentProps, type ReactNode, useId } from "react";
import { useCannotWrite } from "@/api/connection";
import { useTip } from "./Tip";

export interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  children: ReactNode;
  /** Why it cannot be pressed now; empty or missing where it can. */
  whyNot?: string | null;
  /** It changes something at the server: not while there is no connection. */
  writes?: boolean;
  look?: "plain" | "main" | "danger" | "quiet";
  icon?: ReactNode;
  busy?: boolean;
  type?: "button" | "submit";
  label?: string;
  small?: boolean;
  keys?: string;
  expanded?: boolean;
}

export function Button({
  children,
  onClick,
  whyNot: refused,
  writes = false,
  look = "plain",
  icon,
  busy,
  type = "button",
  label,
  small = true,
  keys,
  expanded,
  ...rest
}: ButtonProps) {
  const id = useId();
  const cut = useCannotWrite();
  const whyNot = (writes && cut) || refused;
  const [tip, events] = useTip(whyNot);
  return (
    <>
      <button
        aria-expanded={expanded}
        {...rest}
        {...events}
        type={type}
        className={`button look-${look}${small ? "" : " large"}`}
        aria-label={label}
        // Not `disabled`: that takes it out of reach of the keyboard, and with it the reason.
        aria-disabled={whyNot || busy ? true : undefined}
        aria-describedby={whyNot ? id : undefined}
        aria-busy={busy || undefined}
        aria-keyshortcuts={keys}
        onClick={(event) => {
          if (whyNot || busy) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {icon && <span className="icon">{icon}</span>}
        <span className="label">{children}</span>
      </button>
      {tip}
      {whyNot && (
        <span id={id} className="hidden">
          {whyNot}
        </span>
      )}
    </>
  );
}
