// What is said about a thing while it is hovered or has the focus.
import { type ReactNode, Suspense, type SyntheticEvent, useState } from "react";
import { LateTip } from "./late";

/** The tip, and the events of the thing that show and hide it. */
export function useTip(says: string | null | undefined): [ReactNode, object] {
  const [on, setOn] = useState<HTMLElement | null>(null);
  if (!says) return [null, {}];
  const show = (event: SyntheticEvent<HTMLElement>) => setOn(event.currentTarget);
  const hide = () => setOn(null);
  const tip = on && (
    <Suspense fallback={null}>
      <LateTip on={on} says={says} />
    </Suspense>
  );
  return [tip, { onPointerEnter: show, onFocus: show, onPointerLeave: hide, onBlur: hide }];
}
