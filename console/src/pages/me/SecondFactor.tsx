// A code of an authenticator beside the password: set up in two steps, with recovery codes that are shown once.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery } from "@/api/access";
import { at } from "@/api/request";
import { Button } from "@/ui/Button";
import { Copied } from "@/ui/Copied";
import { TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { Badge } from "@/ui/StateBadge";
import { useProven } from "@/ui/StepUp";
import { QrCode } from "./QrCode";

interface Begun {
  key: string;
  uri: string;
}

export function SecondFactor() {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const [codes, setCodes] = useState<string[]>();
  const known = () => client.invalidateQueries({ queryKey: ["me"] });
  const begin = useMutation({ mutationFn: () => send<Begun>("POST", at("/v1/me/totp")) });
  const confirm = useMutation({
    mutationFn: (code: string) =>
      send<{ recovery_codes: string[] }>("POST", at("/v1/me/totp:confirm"), { body: { code } }),
    onSuccess: async (made) => {
      setCodes(made.recovery_codes);
      begin.reset();
      await known();
    },
  });
  const drop = useMutation({
    mutationFn: () => send("DELETE", at("/v1/me/totp")),
    onSuccess: async () => {
      setCodes(undefined);
      await known();
    },
  });
  const on = Boolean(me?.second_factor);
  return (
    <section className="card stack" aria-label="second factor">
      <div className="row">
        <h2 className="grow">Second factor</h2>
        <Badge symbol={on ? "✓" : "·"} tone={on ? "green" : "gray"} word={on ? "on" : "off"} />
      </div>
      {codes ? (
        <Recovery codes={codes} done={() => setCodes(undefined)} />
      ) : begin.data ? (
        <Confirm
          begun={begin.data}
          confirm={(code) => confirm.mutate(code)}
          busy={confirm.isPending}
          leave={() => begin.reset()}
        />
      ) : (
        <p className="plain">
          {on
            ? "Signing in needs a code of your authenticator beside the password, or a recovery code."
            : "With one, whoever learns your password still cannot sign in."}
        </p>
      )}
      <Problem error={begin.error ?? confirm.error ?? drop.error} />
      {!begin.data && !codes && (
        <div className="row">
          {on ? (
            <Button look="danger" writes busy={drop.isPending} onClick={() => drop.mutate()}>
              Take it away
            </Button>
          ) : (
            <Button look="main" writes busy={begin.isPending} onClick={() => begin.mutate()}>
              Set up an authenticator
            </Button>
          )}
        </div>
      )}
      {dialog}
    </section>
  );
}

function Confirm({
  begun,
  confirm,
  busy,
  leave,
}: {
  begun: Begun;
  confirm: (code: string) => void;
  busy: boolean;
  leave: () => void;
}) {
  const [code, setCode] = useState("");
  const whyNot = /^\d{6}$/.test(code.replace(/\s/g, "")) ? "" : "type the six digits that it shows";
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!whyNot) confirm(code);
      }}
    >
      <p className="plain">
        Let your authenticator read this, <a href={begun.uri}>open it on this device</a>, or type the key into
        it; it is shown this once.
      </p>
      <QrCode text={begun.uri} says="the key of your authenticator as a picture" />
      <Copied text={begun.key} />
      <TextField
        label="its first code"
        required
        autoComplete="one-time-code"
        value={code}
        change={setCode}
        hint="123456"
      />
      <div className="row">
        <Button type="submit" writes look="main" whyNot={whyNot} busy={busy}>
          Turn it on
        </Button>
        <Button look="quiet" onClick={leave}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function Recovery({ codes, done }: { codes: string[]; done: () => void }) {
  return (
    <div className="stack">
      <p className="plain">
        <strong>It is on.</strong> Keep these recovery codes on paper: each signs you in once when the
        authenticator is lost. They are shown this once.
      </p>
      <Copied text={codes.join("\n")} block />
      <div className="row">
        <Button look="main" onClick={done}>
          I have them
        </Button>
      </div>
    </div>
  );
}
