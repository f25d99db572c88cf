// A small panel under a button, that stays while one chooses in it.
import { type ReactElement, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./Button";
import { LatePanel } from "./late";

export interface PopupProps {
  open: boolean;
  close: () => void;
  target: ReactElement<ButtonProps>;
  label: string;
  children: ReactNode;
}

export function Popup(props: PopupProps) {
  const [opened, setOpened] = useState(props.open);
  if (props.open && !opened) setOpened(true);
  if (!opened) return props.target;
  return (
    <Suspense fallback={props.target}>
      <LatePanel {...props} />
    </Suspense>
  );
}
