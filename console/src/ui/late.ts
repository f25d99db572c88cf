// Files that come after the first picture of a page: popups, which are large, dialogs, drawings, YAML.
// One that does not come is loaded again when the server answers: React would otherwise keep the failure for ever.
import { type ComponentType, lazy } from "react";
import { connected, connection } from "@/api/connection";

type Load<T> = () => Promise<T>;

const loads: Load<unknown>[] = [];

/** Loads when it is asked for, and once more after a cut; all of them are fetched when there is nothing else to do. */
export function late<T>(load: Load<T>): Load<T> {
  const patient = async (): Promise<T> => {
    try {
      return await load();
    } catch (error) {
      if (await connection.suspect()) throw error;
      await connected();
      return patient();
    }
  };
  loads.push(patient);
  return patient;
}

/** A component of a late file. */
export const lateComponent = <P extends object>(load: Load<{ default: ComponentType<P> }>) =>
  lazy(late(load));

const popups = late(() => import("./popups"));

export const LateMenu = lazy(() => popups().then(({ MenuPopup }) => ({ default: MenuPopup })));
export const LatePanel = lazy(() => popups().then(({ PanelPopup }) => ({ default: PanelPopup })));
export const LateSheet = lazy(() => popups().then(({ SheetPopup }) => ({ default: SheetPopup })));
export const LateTip = lazy(() => popups().then(({ TipPopup }) => ({ default: TipPopup })));
export const yaml = late(() => import("yaml"));

/** Once the first picture stands; not every browser tells when that is. */
export function whenIdle(then: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(then);
  else setTimeout(then, 200);
}

/** Before anybody needs one, so that it is there at once; one after the other. */
export async function fetchLate(): Promise<void> {
  for (const load of loads) await load().catch(() => undefined);
}
