// What could let others in is done by whoever proved lately that it is them: asks for the password, then goes on.
import { type ReactNode, useRef, useState } from "react";
import { at, Refusal, type Sent, send } from "@/api/request";
import { Dialog } from "./Dialog";
import { TextField } from "./TextField";

interface Waiting {
  go: () => void;
  leave: () => void;
}

/** `send` that asks for the password where the API wants it anew; `dialog` belongs somewhere on the page. */
export function useProven(): { send: typeof send; dialog: ReactNode } {
  const [open, setOpen] = useState(false);
  const waiting = useRef<Waiting | null>(null);
  const proven = async <T,>(method: string, path: string, sent?: Sent): Promise<T> => {
    try {
      return await send<T>(method, path, sent);
    } catch (error) {
      if (!(error instanceof Refusal) || error.problem.code !== "step_up") throw error;
      await new Promise<void>((go, no) => {
        waiting.current = { go, leave: () => no(error) };
        setOpen(true);
      });
      return send<T>(method, path, sent);
    }
  };
  const end = (proved: boolean) => {
    setOpen(false);
    if (proved) waiting.current?.go();
    else waiting.current?.leave();
  };
  return { send: proven, dialog: open ? <Proof end={end} /> : null };
}

function Proof({ end }: { end: (proved: boolean) => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const prove = async () => {
    setBusy(true);
    try {
      await send("POST", at("/v1/sessions/current:confirm"), {
        body: { password, ...(code ? { code } : {}) },
      });
      end(true);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title="Prove that it is you"
      close={() => end(false)}
      does="Go on"
      submit={() => void prove()}
      busy={busy}
      error={error}
      whyNot={password ? "" : "the password is missing"}
    >
      <TextField
        label="password"
        secret
        required
        focus
        autoComplete="current-password"
        value={password}
        change={setPassword}
      />
      <TextField
        label="code of your authenticator"
        about="only if you set one up"
        autoComplete="one-time-code"
        value={code}
        change={setCode}
      />
    </Dialog>
  );
}
