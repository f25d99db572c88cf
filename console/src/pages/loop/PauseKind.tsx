// The lever of one kind: how much its loop may do, everywhere.
import { titled } from "@/api/kinds";
import type { Mode } from "@/api/shapes";
import { LeverDialog } from "@/ui/LeverDialog";

export function PauseKind({ kind, mode, close }: { kind: string; mode: Mode; close: () => void }) {
  return (
    <LeverDialog
      title={`How much may happen to every ${titled(kind)}`}
      keys={[`kind:${kind}`]}
      mode={mode}
      close={close}
    >
      <p className="faint">In all organizations of this installation, until somebody lets it run again.</p>
    </LeverDialog>
  );
}
