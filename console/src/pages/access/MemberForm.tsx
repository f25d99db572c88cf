// Give somebody roles, change them or take them all away: with what it changes beside it, before it is saved.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { base } from "@/api/kinds";
import { namesQuery } from "@/api/names";
import { type Given, type Member, memberQuery, membersQuery, rolesQuery } from "@/api/people";
import type { Json } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ChoiceField, TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { deedOf, NOTHING, nameFor } from "./given";
import { type Invitation, InvitationLink } from "./InvitationLink";
import { Moves } from "./Moves";
import { Removal } from "./Removal";

export function MemberForm({ name, close }: { name: string; close: () => void }) {
  const { organization = "" } = useScope();
  const query = useInfiniteQuery(membersQuery(organization));
  const members = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isNew = name === "new";
  const { data: known, error } = useQuery({ ...memberQuery(organization, name), enabled: !isNew });
  if (error) return <Problem error={error} />;
  if (!isNew && !known) return null;
  return <Form members={members} known={known} close={close} />;
}

/** `members` are those that were read: the server knows the others, and refuses to take the place of one. */
function Form({ members, known, close }: { members: Member[]; known?: Member; close: () => void }) {
  const { organization = "" } = useScope();
  const [email, setEmail] = useState(known?.email ?? "");
  const [roles, setRoles] = useState<Given[]>(known?.roles ?? [{ ...NOTHING, role: "member" }]);
  const [link, setLink] = useState<Invitation>();
  const name =
    known?.name ??
    nameFor(
      email,
      members.map((member) => member.name),
    );
  const forbidden = useWhyNot(known ? "update" : "create", "organization.membership", { organization }, name);
  const cannotRemove = useWhyNot("delete", "organization.membership", { organization }, name);
  const deed = deedOf(organization, name, email.trim(), roles);
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const save = useMutation({
    mutationFn: async () => {
      await send("PUT", deed.path, { body: deed.body, headers: known ? {} : { "If-None-Match": "*" } });
      void client.invalidateQueries({ queryKey: ["members"] });
      if (known) return undefined;
      return send<Invitation>("POST", `${deed.path}:invite`);
    },
    onSuccess: (made) => (made ? setLink(made) : close()),
  });
  const remove = useMutation({
    mutationFn: () => send("DELETE", deed.path),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["members"] });
      close();
    },
  });
  const missing = mistakeOf(email, roles, known ? [] : members);
  if (link) return <InvitationLink made={link} close={close} />;
  return (
    <>
      <Dialog
        open
        wide
        title={known ? `Roles of ${known.email}` : "Give somebody access"}
        close={close}
        does={known ? "Save" : "Save and invite"}
        submit={() => save.mutate()}
        busy={save.isPending}
        whyNot={forbidden || missing}
        error={save.error ?? remove.error}
      >
        <TextField
          label="email"
          type="email"
          required
          focus={!known}
          value={email}
          change={setEmail}
          about={
            known ? undefined : "they come in with an account of this address, by a link that works once"
          }
          whyNot={known ? "a membership is one person's; invite another for another address" : ""}
        />
        {roles.map((each, index) => (
          <RoleLine
            key={index}
            given={each}
            change={(next) => setRoles(roles.map((old, place) => (place === index ? next : old)))}
            drop={() => setRoles(roles.filter((_, place) => place !== index))}
          />
        ))}
        <div className="row wrap">
          <Button
            icon={<Plus size={14} aria-hidden />}
            onClick={() => setRoles([...roles, { ...NOTHING, role: "member" }])}
          >
            Another role
          </Button>
        </div>
        {known && (
          <Removal
            path={deed.path}
            asks={`Remove from ${organization} …`}
            does={`Remove ${known.email}`}
            whyNot={cannotRemove}
            busy={remove.isPending}
            remove={() => remove.mutate()}
          />
        )}
        <Moves path={deed.path} spec={missing ? null : ({ email: email.trim(), roles } as unknown as Json)} />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}

function RoleLine({
  given,
  change,
  drop,
}: {
  given: Given;
  change: (next: Given) => void;
  drop: () => void;
}) {
  const { organization = "" } = useScope();
  const { data: roles = [] } = useQuery(rolesQuery(organization));
  const { data: projects = [] } = useQuery(namesQuery(`${base({ organization })}/projects`));
  const { data: workspaces = [] } = useQuery({
    ...namesQuery(`${base({ organization, project: given.project })}/workspaces`),
    enabled: Boolean(given.project),
  });
  return (
    <fieldset className="access-role-line">
      <legend className="hidden">a role</legend>
      <ChoiceField
        label="role"
        required
        value={given.role}
        change={(role) => change({ ...given, role })}
        choices={roles.map((role) => ({ value: role.name, label: role.name }))}
        about={roles.find((role) => role.name === given.role)?.about}
      />
      <ChoiceField
        label="project"
        hint="all projects"
        value={given.project}
        change={(project) => change({ ...given, project, workspace: "" })}
        choices={projects.map(named)}
      />
      <ChoiceField
        label="workspace"
        hint="all workspaces"
        value={given.workspace}
        change={(workspace) => change({ ...given, workspace })}
        choices={workspaces.map(named)}
        whyNot={given.project ? "" : "a workspace lies in a project; choose that first"}
      />
      <TextField
        label="until"
        type="date"
        value={given.until}
        change={(until) => change({ ...given, until })}
      />
      <Button look="quiet" label="take this role away" icon={<Trash2 size={14} aria-hidden />} onClick={drop}>
        <span className="hidden">take away</span>
      </Button>
    </fieldset>
  );
}

const named = (name: string) => ({ value: name, label: name });

function mistakeOf(email: string, roles: Given[], others: Member[]): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) return "an email address is missing";
  if (others.some((member) => member.email === email.trim().toLowerCase()))
    return "they are a member already; change their roles instead";
  return roles.some((each) => !each.role) ? "choose a role in each line" : "";
}
