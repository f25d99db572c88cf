// The way in: password and code, or a link that works once, in the part of the address that no server sees.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentProps, type FormEvent, useEffect, useState } from "react";
import { at, Refusal, send } from "@/api/request";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";

interface Opened {
  purpose: "first" | "invite" | "recover";
  email: string;
  name: string;
  expires_at: string;
  has_password: boolean | null;
  has_second_factor: boolean | null;
  organization?: string;
}

/** `#t=SECRET` or `#SECRET`. */
export function secretIn(hash: string): string {
  return hash.replace(/^#/, "").replace(/^t=/, "");
}

export default function SignIn() {
  const [secret, setSecret] = useState(() => secretIn(location.hash));
  useEffect(() => {
    // Out of the address at once: it is a credential, and an address is shown, kept and shared.
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    const later = () => {
      setSecret(secretIn(location.hash));
      history.replaceState(history.state, "", location.pathname + location.search);
    };
    addEventListener("hashchange", later);
    return () => removeEventListener("hashchange", later);
  }, []);
  return (
    <main className="door">
      <div className="card">
        <div className="row">
          <img src="/setpoint.svg" alt="" width={28} height={28} />
          <h1>Setpoint</h1>
        </div>
        {secret ? <ByLink secret={secret} leave={() => setSecret("")} /> : <ByPassword />}
      </div>
    </main>
  );
}

function useEnter(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false }) as { next?: string };
  return async () => {
    client.clear();
    // Only a path of ours: an address somebody made up must not lead elsewhere.
    const safe = next?.startsWith("/") && !next.startsWith("//") ? next : "/now";
    await navigate({ href: safe } as never);
  };
}

function ByPassword() {
  const enter = useEnter();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asked, setAsked] = useState(false);
  const { busy, error, submit } = useSubmit(async () => {
    try {
      await send("POST", at("/v1/sessions"), { body: { email, password, ...(code ? { code } : {}) } });
    } catch (refusal) {
      if (refusal instanceof Refusal && /code/.test(refusal.problem.code)) setAsked(true);
      throw refusal;
    }
    await enter();
  });
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="email"
        type="email"
        required
        focus
        autoComplete="username"
        value={email}
        change={setEmail}
      />
      <TextField
        label="password"
        secret
        required
        autoComplete="current-password"
        value={password}
        change={setPassword}
      />
      <Code
        label="code"
        about={
          asked
            ? "the six digits of your authenticator, or a recovery code"
            : "only if you set up an authenticator"
        }
        value={code}
        change={setCode}
      />
      <Enter error={error} busy={busy} ready={Boolean(email && password)} />
      <p className="faint">
        Have a link? Open it here: it signs you in, once. On the command line: setpoint login
      </p>
    </form>
  );
}

function ByLink({ secret, leave }: { secret: string; leave: () => void }) {
  const [opened, setOpened] = useState<Opened>();
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    send<Opened>("POST", at("/v1/links:open"), { body: { link: secret } }).then(setOpened, setRefused);
  }, [secret]);
  if (refused)
    return (
      <div className="stack">
        <Problem error={refused} />
        <Button onClick={leave}>Sign in with a password</Button>
      </div>
    );
  return opened ? <UseLink secret={secret} opened={opened} /> : <p className="faint">opening the link …</p>;
}

const TITLES = {
  first: "Set up the first administrator",
  invite: "You are invited",
  recover: "Choose a new password",
};

function UseLink({ secret, opened }: { secret: string; opened: Opened }) {
  const enter = useEnter();
  const [email, setEmail] = useState(opened.email);
  const [name, setName] = useState(opened.name);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  // Whether the address has an account is not told: whoever is invited proves it, or sets one up.
  const invited = opened.purpose === "invite";
  const { busy, error, submit } = useSubmit(async () => {
    const body = {
      link: secret,
      password,
      ...(invited ? { name } : { email, name }),
      ...(code ? { code } : {}),
    };
    await send("POST", at("/v1/links:use"), { body });
    await enter();
  });
  return (
    <form className="stack" onSubmit={submit}>
      <p>
        {TITLES[opened.purpose]}
        {opened.organization && <> to {opened.organization}</>}.{" "}
        <span className="faint">
          This link works once, until <Ago at={opened.expires_at} />.
        </span>
      </p>
      <TextField
        label="email"
        type="email"
        required
        focus={!opened.email}
        autoComplete="username"
        value={email}
        change={setEmail}
        whyNot={opened.email ? "the link is for this address" : ""}
      />
      {opened.purpose !== "recover" && (
        <TextField
          label={invited ? "name, if you are new here" : "name"}
          autoComplete="name"
          value={name}
          change={setName}
        />
      )}
      <TextField
        label={invited ? "your password, or a new one" : "a new password"}
        about="a new one has at least 15 characters; a few words are good"
        secret
        required
        focus={Boolean(opened.email)}
        autoComplete={invited ? "current-password" : "new-password"}
        value={password}
        change={setPassword}
      />
      {(opened.has_second_factor || invited) && (
        <Code
          label={invited ? "code of your authenticator, if you have one" : "code of your authenticator"}
          required={!invited}
          value={code}
          change={setCode}
        />
      )}
      <Enter error={error} busy={busy} ready={Boolean(email && password)} />
    </form>
  );
}

type CodeProps = Pick<ComponentProps<typeof TextField>, "label" | "about" | "required" | "value" | "change">;

const Code = (props: CodeProps) => <TextField {...props} autoComplete="one-time-code" />;

function Enter({ error, busy, ready }: { error: unknown; busy: boolean; ready: boolean }) {
  return (
    <>
      <Problem error={error} />
      <Button
        type="submit"
        look="main"
        small={false}
        busy={busy}
        whyNot={ready ? "" : "email and password are needed"}
      >
        Sign in
      </Button>
    </>
  );
}

function useSubmit(act: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await act();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit: (event: FormEvent) => void submit(event) };
}
