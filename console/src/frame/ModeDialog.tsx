// The mode of this place, or of one above: the lever that is set comes first where it is let go, else that of this place.
import type { Mode } from "@/api/shapes";
import { above, useSwitches } from "@/api/switches";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { LeverDialog } from "@/ui/LeverDialog";

interface Props {
  wanted: Mode;
  /** The one lever that it is about. */
  only?: string;
  close: () => void;
  error?: unknown;
}

export default function ModeDialog({ wanted, only, close, error }: Props) {
  const scope = useScope();
  const here = textOf(scope);
  const set = above(useSwitches(), scope).find((each) => each.mode !== "run")?.key;
  const places = [here, ...(here.includes("/") ? [scope.organization ?? ""] : [])].filter(Boolean);
  const levers = [...places.map((place) => `scope:${place}`), "all"];
  const keys = set === undefined ? levers : wanted === "run" ? [set, ...levers] : [...levers, set];
  return (
    <LeverDialog
      title="Change the mode"
      keys={only ? [only] : [...new Set(keys)]}
      wanted={wanted}
      close={close}
      error={error}
    />
  );
}
