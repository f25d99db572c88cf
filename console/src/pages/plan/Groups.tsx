// The changes by their causes: what is taken away on top in a box of its own, fields before and after on demand.
import { useState } from "react";
import type { Action } from "@/api/plans";
import { Diff } from "@/ui/Diff";
import { useKeys } from "@/ui/keys";
import { VerbBadge } from "@/ui/StateBadge";
import { said } from "@/words/difference";
import { DESTRUCTIVE, type Group, veiled } from "@/words/groups";

const SHOWN = 20;

export interface GroupsProps {
  groups: Group[];
  asked: Set<string>;
  /** Items that a yes is about; null where nothing is decided. */
  chosen: Set<string> | null;
  choose: (items: Set<string>) => void;
  keys: boolean;
}

export function Groups(props: GroupsProps) {
  const { groups } = props;
  const [open, setOpen] = useState<Set<string>>(
    () => new Set(groups.length === 1 ? [groups[0]?.key ?? ""] : []),
  );
  const [at, setAt] = useState(-1);
  const flip = (key: string) => setOpen(flipped(open, key));
  const current = groups[at];
  const step = (by: number) => {
    const next = Math.min(Math.max(at + by, 0), groups.length - 1);
    setAt(next);
    document.getElementById(`group-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys(
    "groups",
    props.keys
      ? [
          { keys: "j", says: "next group", do: () => step(1) },
          { keys: "k", says: "group before", do: () => step(-1) },
          { keys: "Enter", says: "open or fold the group", do: () => current && flip(current.key) },
          {
            keys: "x",
            says: "choose the group, or leave it out",
            do: () => current && whole(props, current),
          },
          {
            keys: "d",
            says: "all differences",
            do: () => setOpen(open.size === groups.length ? new Set() : new Set(groups.map((g) => g.key))),
          },
        ]
      : [
          {
            keys: "d",
            says: "all differences",
            do: () => setOpen(open.size === groups.length ? new Set() : new Set(groups.map((g) => g.key))),
          },
        ],
  );
  if (groups.length === 0) return <p className="faint">It changes nothing.</p>;
  const destructive = groups.filter((group) => DESTRUCTIVE.has(group.verb));
  const rest = groups.filter((group) => !DESTRUCTIVE.has(group.verb));
  const shown = (group: Group) => (
    <GroupCard
      key={group.key}
      group={group}
      place={groups.indexOf(group)}
      here={group === current}
      open={open.has(group.key)}
      flip={() => flip(group.key)}
      props={props}
    />
  );
  return (
    <>
      {destructive.length > 0 && (
        <section className="destroys" aria-label="what is taken away">
          <h2>- Taken away</h2>
          {destructive.map(shown)}
        </section>
      )}
      {rest.length > 0 && (
        <section aria-label="what is changed and made">
          {destructive.length > 0 && <h2>Changed and made</h2>}
          {rest.map(shown)}
        </section>
      )}
    </>
  );
}

function GroupCard({
  group,
  place,
  here,
  open,
  flip,
  props,
}: {
  group: Group;
  place: number;
  here: boolean;
  open: boolean;
  flip: () => void;
  props: GroupsProps;
}) {
  const asked = group.actions.filter((action) => props.asked.has(action.item));
  const picked = asked.filter((action) => props.chosen?.has(action.item));
  const [all, setAll] = useState(false);
  const members = all ? group.actions : group.actions.slice(0, SHOWN);
  return (
    <div className="group" id={`group-${place}`} data-here={here || undefined}>
      <div className="row group-line">
        {props.chosen && asked.length > 0 && (
          <input
            type="checkbox"
            aria-label={`approve ${group.verb} ${group.cause}`}
            checked={picked.length === asked.length}
            ref={(box) => {
              if (box) box.indeterminate = picked.length > 0 && picked.length < asked.length;
            }}
            onChange={() => whole(props, group)}
          />
        )}
        <button type="button" className="group-title" aria-expanded={open} onClick={flip}>
          <VerbBadge verb={group.verb} />
          <strong className="number">{group.actions.length}</strong>
          <span className="grow cut">{group.cause}</span>
          <span className="faint members">{named(group.actions)}</span>
        </button>
        {props.chosen && asked.length === 0 && (
          <span className="faint" title="Creates and updates never need a person: they roll out in waves.">
            goes along
          </span>
        )}
      </div>
      {open && (
        <ul className="plain members-list">
          {members.map((action) => (
            <Member key={action.item} action={action} single={group.actions.length === 1} props={props} />
          ))}
          {group.actions.length > SHOWN && (
            <button type="button" className="link" onClick={() => setAll(!all)}>
              {all ? "show fewer" : `show all ${group.actions.length}`}
            </button>
          )}
        </ul>
      )}
    </div>
  );
}

function Member({ action, single, props }: { action: Action; single: boolean; props: GroupsProps }) {
  const [open, setOpen] = useState(single || action.verb === "update" || action.verb === "replace");
  const asked = props.chosen && props.asked.has(action.item);
  return (
    <li>
      <div className="row">
        {asked && (
          <input
            type="checkbox"
            aria-label={`approve ${action.verb} ${action.item}`}
            checked={props.chosen?.has(action.item) ?? false}
            onChange={() => props.choose(flipped(props.chosen ?? new Set(), action.item))}
          />
        )}
        <button type="button" className="link mono" aria-expanded={open} onClick={() => setOpen(!open)}>
          {action.item}
        </button>
        {!open && <span className="faint cut grow mono">{brief(action)}</span>}
        {action.protected && <span className="badge tone-orange">! protected</span>}
        {action.explicit && <span className="faint">asked for by name</span>}
        {action.weight > 1 && <span className="faint">weighs {action.weight}</span>}
      </div>
      {open && (
        <Diff
          before={action.before === null ? undefined : veiled(action.before, action.after)}
          after={action.after === null ? undefined : veiled(action.after, action.before)}
          titles={["is", "will be"]}
        />
      )}
    </li>
  );
}

/** All that is asked of a group, or none of it. */
function whole({ chosen, choose, asked }: GroupsProps, group: Group): void {
  if (!chosen) return;
  const items = group.actions.map((action) => action.item).filter((item) => asked.has(item));
  const every = items.every((item) => chosen.has(item));
  const next = new Set(chosen);
  for (const item of items) {
    if (every) next.delete(item);
    else next.add(item);
  }
  choose(next);
}

function flipped(known: Set<string>, key: string): Set<string> {
  const next = new Set(known);
  if (!next.delete(key)) next.add(key);
  return next;
}

function named(actions: Action[]): string {
  const first = actions.slice(0, 3).map((action) => action.item);
  return actions.length > 3 ? `${first.join(", ")} and ${actions.length - 3} more` : first.join(", ");
}

/** What is taken away or made, in one line. */
function brief(action: Action): string {
  const value = veiled(action.before ?? action.after, action.before ? action.after : undefined);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return said(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${Array.isArray(inner) ? inner.map(said).join(", ") : said(inner)}`)
    .join(" · ");
}
