// How much may happen here, or above: the lever that is set comes first, else the one of this place.
import type { Mode } from "@/api/shapes";
import { above, useSwitches } from "@/api/switches";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { LeverDialog } from "@/ui/LeverDialog";

export default function ModeDialog({ mode, close }: { mode: Mode; close: () => void }) {
  const scope = useScope();
  const here = textOf(scope);
  const set = above(useSwitches(), scope)[0]?.key;
  const places = [here, ...(here.includes("/") ? [scope.organization ?? ""] : [])];
  const levers = [...places.map((place) => `scope:${place}`), "all"];
  const keys = set === undefined ? levers : mode === "run" ? [...levers, set] : [set, ...levers];
  return <LeverDialog title="How much may happen here" keys={[...new Set(keys)]} mode={mode} close={close} />;
}
