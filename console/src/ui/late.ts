// Popups are large, and nothing of them is in the first picture of a page: they come after it.
import { lazy } from "react";

const popups = () => import("./popups");

export const LateMenu = lazy(() => popups().then(({ MenuPopup }) => ({ default: MenuPopup })));
export const LatePanel = lazy(() => popups().then(({ PanelPopup }) => ({ default: PanelPopup })));
export const LateSheet = lazy(() => popups().then(({ SheetPopup }) => ({ default: SheetPopup })));
export const LateTip = lazy(() => popups().then(({ TipPopup }) => ({ default: TipPopup })));

/** Once the first picture stands; not every browser tells when that is. */
export function whenIdle(then: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(then);
  else setTimeout(then, 200);
}

/** Before anybody opens one, so that it opens at once. */
export const fetchPopups = () => void popups();
