// Roles: what each allows, as a matrix of keys and verbs; those of one's own are changed by pressing its cells.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { membersQuery, type Role, rolesQuery } from "@/api/people";
import type { Json } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { type Deed, quoted } from "@/words/deed";
import { isWhole, pressed, type Rule, sentence } from "@/words/rules";
import { Matrix } from "./Matrix";
import { Moves } from "./Moves";
import { Removal } from "./Removal";

const NEW: Role = { name: "", about: "", rules: [], seeded: false };

export function Roles() {
  const { organization = "" } = useScope();
  const { data: roles = [], error, refetch } = useQuery(rolesQuery(organization));
  const query = useInfiniteQuery(membersQuery(organization));
  const members = query.data?.pages.flatMap((page) => page.items) ?? [];
  const [chosen, choose] = useParam("role", "owner");
  const whyNot = useWhyNot("create", "organization.role", { organization });
  const role = chosen === "new" ? NEW : (roles.find((each) => each.name === chosen) ?? roles[0]);
  const held = (name: string) => members.filter((each) => each.roles.some((had) => had.role === name)).length;
  return (
    <div className="access-roles">
      <Problem error={error} again={() => void refetch()} />
      <div className="facets" role="group" aria-label="roles">
        {roles.map((each) => (
          <button
            key={each.name}
            type="button"
            className="facet"
            aria-pressed={each === role}
            onClick={() => choose(each.name)}
            title={each.about}
          >
            {each.name}
            {!each.seeded && <span className="faint">yours</span>}
            <span className="number" title="members who have it">
              {held(each.name)}
              {query.hasNextPage && "+"}
            </span>
          </button>
        ))}
        <Button icon={<Plus size={14} aria-hidden />} whyNot={whyNot} onClick={() => choose("new")}>
          A role of your own
        </Button>
      </div>
      {role && <OneRole key={role.name} role={role} choose={choose} taken={roles.map((each) => each.name)} />}
    </div>
  );
}

function OneRole({ role, choose, taken }: { role: Role; choose: (name: string) => void; taken: string[] }) {
  const { organization = "" } = useScope();
  const [draft, setDraft] = useState<Role | null>(role.name ? null : role);
  const shown = draft ?? role;
  const cannot = useWhyNot("update", "organization.role", { organization }, role.name);
  const seeded = role.seeded ? "every installation has this role as it is; make one of your own" : "";
  const narrowed = shown.rules.filter((rule) => !isWhole(rule));
  return (
    <div className="access-one-role">
      <div className="stack">
        {role.name && (
          <div className="row wrap">
            <strong>{role.name}</strong> <span className="grow">{role.about}</span>
            {!draft && (
              <Button
                icon={<Pencil size={14} aria-hidden />}
                whyNot={seeded || cannot}
                onClick={() => setDraft(role)}
              >
                Change
              </Button>
            )}
          </div>
        )}
        {draft && <DraftForm role={role} draft={draft} set={setDraft} taken={taken} choose={choose} />}
        {narrowed.length > 0 && (
          <ul className="plain-list" aria-label="rules that reach some objects only">
            {narrowed.map((rule) => (
              <li key={sentence(rule)}>◐ {sentence(rule)}</li>
            ))}
          </ul>
        )}
      </div>
      <Matrix
        rules={shown.rules}
        press={
          draft ? (key, verb) => setDraft({ ...draft, rules: pressed(draft.rules, key, verb) }) : undefined
        }
      />
    </div>
  );
}

interface Drafting {
  role: Role;
  draft: Role;
  set: (draft: Role | null) => void;
  taken: string[];
  choose: (name: string) => void;
}

function DraftForm({ role, draft, set, taken, choose }: Drafting) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const deed = deedOf(organization, draft);
  const save = useMutation({
    mutationFn: () => send("PUT", deed.path, { body: deed.body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["roles"] });
      set(null);
      choose(draft.name);
    },
  });
  const remove = useMutation({
    mutationFn: () => send("DELETE", deed.path),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["roles"] });
      choose("");
    },
  });
  const cannotDelete = useWhyNot("delete", "organization.role", { organization }, role.name);
  const mistake = mistakeOf(role, draft, taken);
  return (
    <div className="stack card">
      {!role.name && (
        <TextField
          label="name"
          required
          value={draft.name}
          change={(name) => set({ ...draft, name })}
          hint="shopkeeper"
        />
      )}
      <TextField
        label="what it is for"
        value={draft.about}
        change={(about) => set({ ...draft, about })}
        hint="runs the shop, leaves names alone"
      />
      <p className="plain faint">
        Press a cell of the matrix: once allows, again forbids, a third time leaves it open. A forbid wins
        over every allow.
      </p>
      <Moves path={deed.path} spec={mistake ? null : specOf(draft)} />
      <Problem error={save.error ?? remove.error} />
      <div className="row wrap">
        <Button look="main" writes whyNot={mistake} busy={save.isPending} onClick={() => save.mutate()}>
          Save role
        </Button>
        <Button look="quiet" onClick={() => (role.name ? set(null) : choose(""))}>
          Cancel
        </Button>
      </div>
      {role.name && (
        <Removal
          path={deed.path}
          asks="Delete the role …"
          does={`Delete ${role.name}`}
          whyNot={cannotDelete}
          busy={remove.isPending}
          remove={() => remove.mutate()}
        />
      )}
      <ShowAs deed={deed} />
      {dialog}
    </div>
  );
}

function mistakeOf(role: Role, draft: Role, taken: string[]): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(draft.name)) return "give it a name of a-z 0-9 . _ -";
  if (!role.name && taken.includes(draft.name)) return "there is a role of that name; choose another";
  return draft.rules.length === 0 ? "press at least one cell: a role without rules allows nothing" : "";
}

const specOf = ({ about, rules }: Role) => ({ about, rules }) as unknown as Json;

function deedOf(organization: string, draft: Role): Deed {
  const flag = (rule: Rule) =>
    `--${rule.effect === "forbid" ? "forbid" : "allow"} ${quoted(`${rule.verbs.join(",")} ${rule.keys.join(",")}`)}`;
  const flags = draft.rules.filter(isWhole).map(flag).join(" \\\n  ");
  return {
    method: "PUT",
    path: `/v1/organizations/${encodeURIComponent(organization)}/roles/${encodeURIComponent(draft.name)}`,
    body: { spec: specOf(draft) },
    command: `setpoint role set ${draft.name || "NAME"} -O ${organization} ${flags}`,
    manifest: { kind: "role", metadata: { organization, name: draft.name }, spec: specOf(draft) },
  };
}
