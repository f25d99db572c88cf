// A dialog: one question, its form, and two buttons.
import type { FormEvent, ReactNode } from "react";
import { useCannotWrite } from "@/api/connection";
import { Button } from "./Button";
import { Problem } from "./Problem";
import { Sheet } from "./Sheet";

export interface DialogProps {
  open: boolean;
  title: string;
  close: () => void;
  children: ReactNode;
  /** What its main button says; without it the dialog only shows something. */
  does?: string;
  submit?: () => void;
  whyNot?: string | null;
  busy?: boolean;
  error?: unknown;
  danger?: boolean;
  wide?: boolean;
}

export function Dialog(props: DialogProps) {
  const { open, title, close, children, does, submit, busy, error, danger, wide } = props;
  const whyNot = useCannotWrite() || props.whyNot;
  const sent = (event: FormEvent) => {
    event.preventDefault();
    if (!whyNot && !busy) submit?.();
  };
  if (!open) return null;
  return (
    <Sheet title={title} close={close} wide={wide}>
      <form className="stack" onSubmit={sent}>
        {children}
        <Problem error={error} />
        {does && (
          <div className="row" style={{ justifyContent: "flex-end" }}>
            <Button onClick={close} look="quiet">
              Cancel
            </Button>
            <Button type="submit" look={danger ? "danger" : "main"} whyNot={whyNot} busy={busy}>
              {does}
            </Button>
          </div>
        )}
      </form>
    </Sheet>
  );
}
