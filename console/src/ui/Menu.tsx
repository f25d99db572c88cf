// A small menu behind a button.
import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./Button";
import { LateMenu } from "./late";

export interface Choice {
  label: ReactNode;
  do: () => void;
  icon?: ReactNode;
  whyNot?: string | null;
  chosen?: boolean;
}

export interface MenuProps {
  target: ReactElement<ButtonProps>;
  choices: Choice[];
  title?: string;
}

export function Menu(props: MenuProps) {
  const [pressed, setPressed] = useState(false);
  const target = cloneElement(props.target, {
    "aria-haspopup": "menu",
    expanded: false,
    onClick: () => setPressed(true),
  });
  if (!pressed) return target;
  return (
    <Suspense fallback={target}>
      <LateMenu {...props} />
    </Suspense>
  );
}
