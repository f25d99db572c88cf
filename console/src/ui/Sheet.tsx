// A sheet above the page, there while something is asked on it. Escape closes it, and focus goes back where it was.
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { LateSheet } from "./late";

export interface SheetProps {
  close: () => void;
  /** Without it there is no heading, and `label` says to screen readers what it is. */
  title?: string;
  label?: string;
  wide?: boolean;
  children: ReactNode;
  /** Where keys go that are pressed before it stands. */
  waiting?: ReactNode;
}

export function Sheet({ waiting = null, ...props }: SheetProps) {
  // At its first drawing, before anything on it takes the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(() => () => (before as HTMLElement | null)?.focus?.(), [before]);
  return (
    <Suspense fallback={waiting}>
      <LateSheet {...props} />
    </Suspense>
  );
}
