// A new token: a name, what it may do, for how long, and from where.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Token, tokensPath, type Whose } from "@/api/credentials";
import { rolesQuery } from "@/api/people";
import type { Json } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Dialog } from "@/ui/Dialog";
import { ChoiceField, ListField, NumberField, TextField } from "@/ui/Field";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { type Deed, quoted } from "@/words/deed";

export interface Made extends Token {
  token: string;
}

const USUAL_DAYS = 90;
const TITLES = { mine: "A token of yours", organization: "A token for a program", workspace: "A key" };

export function TokenForm({
  whose,
  close,
  done,
}: {
  whose: Whose;
  close: () => void;
  done: (made: Made) => void;
}) {
  const scope = useScope();
  const { data: roles = [] } = useQuery(rolesQuery(scope.organization ?? ""));
  const [name, setName] = useState("");
  const [role, setRole] = useState(whose === "mine" ? "" : "member");
  const [about, setAbout] = useState("");
  const [days, setDays] = useState<number | undefined>(USUAL_DAYS);
  const [addresses, setAddresses] = useState<string[]>([]);
  const body = {
    name,
    ...(role ? { role } : {}),
    ...(role && whose === "mine" ? { organization: scope.organization ?? "" } : {}),
    ...(about ? { about } : {}),
    ...(days ? { days } : {}),
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(whose === "organization" && scope.project ? { project: scope.project } : {}),
    ...(whose === "organization" && scope.workspace ? { workspace: scope.workspace } : {}),
  };
  const deed = deedOf(whose, tokensPath(whose, scope), body);
  const { send, dialog } = useProven();
  const make = useMutation({
    mutationFn: () => send<Made>("POST", deed.path, { body }),
    onSuccess: done,
  });
  const where = [scope.organization, scope.project, scope.workspace].filter(Boolean).join("/");
  return (
    <>
      <Dialog
        open
        title={TITLES[whose]}
        close={close}
        does="Make it"
        submit={() => make.mutate()}
        busy={make.isPending}
        error={make.error}
        whyNot={name ? "" : "give it a name, as laptop or ci"}
      >
        <TextField label="name" required focus value={name} change={setName} hint="laptop" />
        <ChoiceField
          label="role"
          required={whose !== "mine"}
          hint="whatever you may"
          about={
            whose === "mine"
              ? "leave it empty and it acts as you; with a role it does no more than that"
              : `in ${where}`
          }
          value={role}
          change={setRole}
          choices={roles.map((each) => ({ value: each.name, label: each.name }))}
        />
        <TextField label="what it is for" value={about} change={setAbout} />
        <NumberField
          label="days"
          about="for how long; at most 365"
          min={1}
          max={365}
          value={days}
          change={setDays}
        />
        <ListField
          label="only from"
          hint="192.0.2.0/24"
          about="networks it may be used from; nothing is everywhere"
          value={addresses}
          change={setAddresses}
        />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}

function deedOf(whose: Whose, path: string, body: Record<string, Json>): Deed {
  const verb = whose === "workspace" ? "key" : "token";
  const flags = [
    whose === "mine" && "--mine",
    body.role && `--role ${quoted(String(body.role))}`,
    body.days && `--days ${body.days}`,
    body.about && `--about ${quoted(String(body.about))}`,
    ...((body.addresses as string[] | undefined) ?? []).map((each) => `--from ${each}`),
  ];
  const command = [`setpoint ${verb} create`, quoted(String(body.name || "NAME")), ...flags];
  return { method: "POST", path, body, command: command.filter(Boolean).join(" ") };
}
