// Tokens with what they reach and when they were used last; one press ends one, a new one is shown once.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { type Token, tokensPath, tokensQuery, type Whose } from "@/api/credentials";
import { send } from "@/api/request";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Copied } from "@/ui/Copied";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { Problem } from "@/ui/Problem";
import { Badge } from "@/ui/StateBadge";
import { type Made, TokenForm } from "./TokenForm";

const SAYS: Record<Whose, { empty: string; about: string; command: string; key: string }> = {
  mine: {
    empty: "You have no token",
    about: "A token of yours acts as you, with your rights as they are at each request, or with less.",
    command: "setpoint token create laptop --mine",
    key: "",
  },
  organization: {
    empty: "No program has a token yet",
    about: "A program gets a role of its own, for the organization or a part of it.",
    command: "setpoint token create ci --role operator",
    key: "organization.token",
  },
  workspace: {
    empty: "This workspace has no key",
    about: "A key reaches this workspace and nothing else.",
    command: "setpoint key create deploy --role member",
    key: "project.workspace.key",
  },
};

export function Tokens({ whose }: { whose: Whose }) {
  const scope = useScope();
  const says = SAYS[whose];
  const { data = [], error, isSuccess } = useQuery(tokensQuery(whose, scope));
  const [form, setForm] = useParam("new");
  const [made, setMade] = useState<Made>();
  const client = useQueryClient();
  const whyNot = useWhyNot("create", says.key, scope);
  const again = () => client.invalidateQueries({ queryKey: ["tokens"] });
  const revoke = useMutation({
    mutationFn: (id: string) => send("DELETE", `${tokensPath(whose, scope)}/${encodeURIComponent(id)}`),
    onSuccess: again,
  });
  const create = (
    <Button
      look="main"
      icon={<Plus size={14} aria-hidden />}
      whyNot={whyNot}
      onClick={() => setForm("token")}
    >
      New token
    </Button>
  );
  return (
    <div className="stack">
      <Problem error={error ?? revoke.error} />
      {isSuccess && data.length === 0 ? (
        <Empty title={says.empty} action={create} command={says.command}>
          {says.about}
        </Empty>
      ) : (
        <>
          <div className="row wrap">
            <span className="grow faint">{says.about}</span>
            {create}
          </div>
          <ul className="me-entries" aria-label="tokens">
            {data.map((token) => (
              <Line key={token.id} token={token} revoke={() => revoke.mutate(token.id)} verbs={says.key} />
            ))}
          </ul>
        </>
      )}
      {form === "token" && (
        <TokenForm
          whose={whose}
          close={() => setForm("")}
          done={(token) => {
            setMade(token);
            setForm("");
            void again();
          }}
        />
      )}
      {made && <Shown made={made} close={() => setMade(undefined)} />}
    </div>
  );
}

function Line({ token, revoke, verbs }: { token: Token; revoke: () => void; verbs: string }) {
  const scope = useScope();
  const now = useNow();
  const whyNot = useWhyNot("delete", verbs, scope);
  const over = token.expires_at !== null && Date.parse(token.expires_at) < now;
  return (
    <li className="card">
      <div className="grow">
        <div className="row wrap">
          <strong>{token.name}</strong>
          <span className="chip">{token.role === "self" ? "acts as you" : token.role}</span>
          {token.scope && <span className="chip">in {token.scope}</span>}
          {token.addresses.length > 0 && <span className="chip">from {token.addresses.join(", ")}</span>}
          {over && <Badge symbol="✗" tone="red" word="run out" />}
        </div>
        {token.about && <div>{token.about}</div>}
        <div className="faint">
          last used <Ago at={token.seen_at} /> · made <Ago at={token.created_at} /> by {token.created_by}
          {token.expires_at && (
            <>
              {" "}
              · {over ? "ended" : "ends"} <Ago at={token.expires_at} />
            </>
          )}
        </div>
      </div>
      <Button look="danger" label={`revoke ${token.name}`} whyNot={whyNot} onClick={revoke}>
        Revoke
      </Button>
    </li>
  );
}

function Shown({ made, close }: { made: Made; close: () => void }) {
  return (
    <Dialog open title={`The token ${made.name}`} close={close}>
      <p className="plain">Copy it now: it is shown this once, and nobody can show it again.</p>
      <Copied text={made.token} block />
      <div className="row end">
        <Button look="main" onClick={close}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
