// Choose another password; every other session ends with it.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { at } from "@/api/request";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { useProven } from "@/ui/StepUp";

export function Password() {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const { send, dialog } = useProven();
  const change = useMutation({
    mutationFn: () => send<{ sessions_ended: number }>("POST", at("/v1/me:password"), { body: { password } }),
    onSuccess: () => {
      setPassword("");
      setAgain("");
    },
  });
  const whyNot = !password ? "type a new password" : password === again ? "" : "the two are not the same";
  return (
    <form
      className="card stack"
      aria-label="password"
      onSubmit={(event) => {
        event.preventDefault();
        if (!whyNot) change.mutate();
      }}
    >
      <h2>Password</h2>
      <TextField
        label="a new password"
        secret
        autoComplete="new-password"
        about="a few words are good; every other session ends with it"
        value={password}
        change={setPassword}
      />
      <TextField label="once more" secret autoComplete="new-password" value={again} change={setAgain} />
      <Problem error={change.error} />
      {change.data && (
        <p className="plain" role="status">
          It is changed; other sessions that ended: {change.data.sessions_ended}.
        </p>
      )}
      <div className="row">
        <Button type="submit" writes look="main" whyNot={whyNot} busy={change.isPending}>
          Change password
        </Button>
      </div>
      {dialog}
    </form>
  );
}
