// The changes by what became of them and by their causes: what destroys on top, members and their fields on demand.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Action, type Change, type Group, membersQuery, type Outcomes } from "@/api/plans";
import { keepScope } from "@/scope/scope";
import { Diff } from "@/ui/Diff";
import { useKeys } from "@/ui/keys";
import { QueryProblem } from "@/ui/QueryProblem";
import { VerbBadge } from "@/ui/StateBadge";
import { type Choice, flipGroup, flipItem, isPicked, pickedIn } from "@/words/choice";
import { said } from "@/words/difference";
import { veiled } from "@/words/groups";
import { type Part, partsOf } from "@/words/outcome";

export interface GroupsProps {
  groups: Group[];
  /** Where members are read, page by page. */
  path: string;
  /** What a yes is about; null where nothing is decided. */
  choice: Choice | null;
  choose: (choice: Choice) => void;
  keys: boolean;
  /** What became of them; nothing while it is not decided. */
  outcomes?: Outcomes;
  /** The plan that asks about what was left out. */
  next?: string;
}

/** One group in one part of the page. */
interface Shown {
  id: string;
  group: Group;
  part: Part;
}

const SHORT = 20;

export function Groups(props: GroupsProps) {
  const parts = partsOf(props.groups, props.outcomes ?? {});
  const shown = parts.flatMap((part) =>
    part.groups.map((group): Shown => ({ id: `${part.key} ${group.key}`, group, part })),
  );
  const [flips, setFlips] = useState<Set<string>>(new Set());
  const [at, setAt] = useState(-1);
  const isOpen = (each: Shown) => flips.has(each.id) !== opensItself(each, shown.length);
  const flip = (each: Shown) => setFlips(flipped(flips, each.id));
  const current = shown[at];
  const step = (by: number) => {
    const next = Math.min(Math.max(at + by, 0), shown.length - 1);
    setAt(next);
    document.getElementById(`group-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const openAll = () => {
    const open = !shown.every(isOpen);
    setFlips(
      new Set(shown.filter((each) => opensItself(each, shown.length) !== open).map((each) => each.id)),
    );
  };
  const all = { keys: "d", says: "all differences", do: openAll };
  useKeys(
    "groups",
    props.keys
      ? [
          { keys: "j", says: "next group", do: () => step(1) },
          { keys: "k", says: "group before", do: () => step(-1) },
          { keys: "Enter", says: "open or fold the group", do: () => current && flip(current) },
          {
            keys: "x",
            says: "choose the group, or leave it out",
            do: () => current && props.choice && props.choose(flipGroup(props.choice, current.group)),
          },
          all,
        ]
      : [all],
  );
  if (shown.length === 0) return <p className="faint">It changes nothing.</p>;
  return parts.map((part) => (
    <section
      key={part.key}
      className={part.destructive && part.outcomes[0] !== "left_out" ? "plan-destroys" : "plan-part"}
      data-outcome={part.outcomes[0]}
      aria-label={part.title}
    >
      <h2>
        {part.title}
        {part.outcomes.includes("left_out") && props.next && <Next id={props.next} />}
      </h2>
      {shown
        .filter((each) => each.part === part)
        .map((each) => (
          <GroupCard
            key={each.id}
            shown={each}
            place={shown.indexOf(each)}
            here={each === current}
            open={isOpen(each)}
            flip={() => flip(each)}
            props={props}
          />
        ))}
    </section>
  ));
}

/** A single group, and the short lists of what became of a plan, need no press to be read. */
const opensItself = ({ group, part }: Shown, among: number): boolean =>
  among === 1 || (part.outcomes.length > 0 && group.count <= SHORT);

function Next({ id }: { id: string }) {
  return (
    <>
      {" → "}
      <Link to={"/plans/$id" as never} params={{ id } as never} search={keepScope}>
        the plan that asks about them now
      </Link>
    </>
  );
}

function GroupCard({
  shown,
  place,
  here,
  open,
  flip,
  props,
}: {
  shown: Shown;
  place: number;
  here: boolean;
  open: boolean;
  flip: () => void;
  props: GroupsProps;
}) {
  const { choice } = props;
  const { group } = shown;
  const picked = choice ? pickedIn(choice, group) : 0;
  return (
    <div className="plan-group" id={`group-${place}`} data-here={here || undefined}>
      <div className="row plan-group-line">
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
        <button type="button" className="plan-group-title" aria-expanded={open} onClick={flip}>
          <VerbBadge verb={group.verb} />
          <strong className="number">{group.count}</strong>
          <span className="grow cut">{group.cause}</span>
          <span className="faint plan-members">{named(group)}</span>
        </button>
        {choice && group.asked === 0 && (
          <span className="faint" title="Creates and updates never need a person: they roll out in waves.">
            goes along
          </span>
        )}
      </div>
      {open && <Members shown={shown} props={props} />}
    </div>
  );
}

function Members({ shown: { group, part }, props }: { shown: Shown; props: GroupsProps }) {
  const query = useInfiniteQuery(membersQuery(props.path, group.key, part.outcomes));
  const found = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.error) return <QueryProblem query={query} />;
  return (
    <ul className="plain plan-members-list">
      {query.isPending && <li className="faint">one moment …</li>}
      {found.map((action) => (
        <Member key={action.item} action={action} group={group} part={part} props={props} />
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

function Member({
  action,
  group,
  part,
  props,
}: {
  action: Change;
  group: Group;
  part: Part;
  props: GroupsProps;
}) {
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
          titles={part.outcomes.includes("done") ? ["was", "is"] : ["is", "would be"]}
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
  if (first.length === 0) return "";
  return count > first.length ? `${first.join(", ")} and ${count - first.length} more` : first.join(", ");
}

/** What is deleted or created, in one line. */
function brief(action: Action): string {
  const value = veiled(action.before ?? action.after, action.before ? action.after : undefined);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return said(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${Array.isArray(inner) ? inner.map(said).join(", ") : said(inner)}`)
    .join(" · ");
}
