// A dialog: one question, its form, and two buttons. Escape closes it, and focus goes back where it was.
import { Modal } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Button } from "./Button";
import { Problem } from "./Problem";

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
  const { open, title, close, children, does, submit, whyNot, busy, error, danger, wide } = props;
  const sent = (event: FormEvent) => {
    event.preventDefault();
    if (!whyNot && !busy) submit?.();
  };
  return (
    // Locking the scroll would write a style into the page, which the content policy forbids.
    <Modal
      opened={open}
      onClose={close}
      title={title}
      size={wide ? "xl" : "md"}
      lockScroll={false}
      closeButtonProps={{ "aria-label": "close" }}
      transitionProps={{ duration: 0 }}
    >
      <form className="stack" onSubmit={sent}>
        {children}
        <Problem error={error} />
        {does && (
          <div className="row" style={{ justifyContent: "flex-end" }}>
            <Button onClick={close} look="quiet">
              Leave it
            </Button>
            <Button type="submit" look={danger ? "danger" : "main"} whyNot={whyNot} busy={busy}>
              {does}
            </Button>
          </div>
        )}
      </form>
    </Modal>
  );
}
