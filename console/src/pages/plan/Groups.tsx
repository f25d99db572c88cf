// The changes by their causes: what is taken away on top in a box of its own, members and their fields on demand.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Action, type Change, type Group, membersQuery } from "@/api/plans";
import { Diff } from "@/ui/Diff";
import { useKeys } from "@/ui/keys";
import { Problem } from "@/ui/Problem";
import { VerbBadge } from "@/ui/StateBadge";
import { type Choice, flipGroup, flipItem, isPicked, pickedIn } from "@/words/choice";
import { said } from "@/words/difference";
import { DESTRUCTIVE, veiled } from "@/words/groups";

export interface GroupsProps {
  groups: Group[];
  /** Where members are read, page by page. */
  path: string;
  /** What a yes is about; null where nothing is decided. */
  choice: Choice | null;
  choose: (choice: Choice) => void;
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
            do: () => current && props.choice && props.choose(flipGroup(props.choice, current)),
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
  const { choice } = props;
  const picked = choice ? pickedIn(choice, group) : 0;
  return (
    <div className="group" id={`group-${place}`} data-here={here || undefined}>
      <div className="row group-line">
        {choice && group.asked > 0 && (
          <input
            type="checkbox"
            aria-label={`approve ${group.verb} ${group.cause}`}
            checked={picked === group.asked}
            ref={(box) => {
              if (box) box.indeterminate = picked > 0 && picked < group.asked;
            }}
            onChange={() => props.choose(flipGroup(choice, group))}
          />
        )}
        <button type="button" className="group-title" aria-expanded={open} onClick={flip}>
          <VerbBadge verb={group.verb} />
          <strong className="number">{group.count}</strong>
          <span className="grow cut">{group.cause}</span>
          <span className="faint members">{named(group)}</span>
        </button>
        {choice && group.asked === 0 && (
          <span className="faint" title="Creates and updates never need a person: they roll out in waves.">
            goes along
          </span>
        )}
      </div>
      {open && <Members group={group} props={props} />}
    </div>
  );
}

function Members({ group, props }: { group: Group; props: GroupsProps }) {
  const query = useInfiniteQuery(membersQuery(props.path, group.key));
  const found = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.error) return <Problem error={query.error} again={() => void query.refetch()} />;
  return (
    <ul className="plain members-list">
      {query.isPending && <li className="faint">one moment …</li>}
      {found.map((action) => (
        <Member key={action.item} action={action} group={group} props={props} />
      ))}
      {query.hasNextPage && (
        <li>
          <button
            type="button"
            className="link"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {found.length} of {group.count} shown, show more
          </button>
        </li>
      )}
    </ul>
  );
}

function Member({ action, group, props }: { action: Change; group: Group; props: GroupsProps }) {
  const { choice } = props;
  const changes = action.verb === "update" || action.verb === "replace";
  const [open, setOpen] = useState(group.count === 1 || changes);
  return (
    <li>
      <div className="row">
        {choice && action.asked && (
          <input
            type="checkbox"
            aria-label={`approve ${action.verb} ${action.item}`}
            checked={isPicked(choice, group.key, action.item)}
            onChange={() => props.choose(flipItem(choice, group.key, action.item))}
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

function flipped(known: Set<string>, key: string): Set<string> {
  const next = new Set(known);
  if (!next.delete(key)) next.add(key);
  return next;
}

function named({ named: first, count }: Group): string {
  return count > first.length ? `${first.join(", ")} and ${count - first.length} more` : first.join(", ");
}

/** What is taken away or made, in one line. */
function brief(action: Action): string {
  const value = veiled(action.before ?? action.after, action.before ? action.after : undefined);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return said(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${Array.isArray(inner) ? inner.map(said).join(", ") : said(inner)}`)
    .join(" · ");
}
