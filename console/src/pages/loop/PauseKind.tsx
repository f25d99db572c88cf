// The lever of one kind: how much its loop may do, everywhere.
import { titled } from "@/api/kinds";
import type { Mode } from "@/api/shapes";
import { LeverDialog } from "@/ui/LeverDialog";

export function PauseKind({ kind, mode, close }: { kind: string; mode: Mode; close: () => void }) {
  return (
    <LeverDialog
      title={`Change the mode of every ${titled(kind)}`}
      keys={[`kind:${kind}`]}
      wanted={mode === "run" ? "stop" : "run"}
      close={close}
    >
      <p className="faint">In all organizations of this installation, until somebody resumes it.</p>
    </LeverDialog>
  );
}
