// Everything it was declared as: any two generations side by side, and back to an earlier one.
import { useQuery } from "@tanstack/react-query";
import { historyQuery } from "@/api/entity";
import { Ago } from "@/ui/Ago";
import { useParams } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Diff } from "@/ui/Diff";
import { Empty } from "@/ui/Empty";
import { ChoiceField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { Badge } from "@/ui/StateBadge";
import type { Shown } from "../Resource";

export function Changes({ kind, entity, path }: Shown) {
  const { data: pasts = [], error, isSuccess } = useQuery(historyQuery(path));
  const [search, set] = useParams();
  const newest = pasts[0];
  if (error) return <Problem error={error} />;
  if (!newest)
    return isSuccess ? (
      <Empty
        title="No earlier declaration is on record"
        command={`setpoint history ${entity.kind} ${entity.metadata.name}`}
        action={
          <Button onClick={() => set({ tab: kind.by_machine ? "raw" : "edit" })}>
            {kind.by_machine ? "See it as it is" : "Change it"}
          </Button>
        }
      >
        Every declaration is kept here, with who made it and what it changed.
      </Empty>
    ) : null;
  const to = pasts.find((past) => String(past.generation) === search.to) ?? newest;
  const before = pasts.find((past) => past.generation < to.generation) ?? to;
  const from = pasts.find((past) => String(past.generation) === search.from) ?? before;
  const choices = pasts.map((past) => ({
    value: String(past.generation),
    label: `generation ${past.generation}, ${past.by}`,
  }));
  const whole = (past: typeof to) => ({ spec: past.spec, labels: past.labels, protected: past.protected });
  return (
    <div className="stack">
      {pasts.length > 1 && (
        <div className="row wrap">
          <ChoiceField
            label="from"
            required
            choices={choices}
            value={String(from.generation)}
            change={(value) => set({ from: value })}
          />
          <ChoiceField
            label="to"
            required
            choices={choices}
            value={String(to.generation)}
            change={(value) => set({ to: value })}
          />
        </div>
      )}
      <Diff
        before={from === to ? undefined : whole(from)}
        after={whole(to)}
        titles={[from === to ? "before" : `generation ${from.generation}`, `generation ${to.generation}`]}
      />
      <ul className="generations">
        {pasts.map((past) => (
          <li key={past.generation}>
            <button
              type="button"
              className="link number"
              onClick={() => set({ to: String(past.generation), from: "" })}
            >
              generation {past.generation}
            </button>
            <Badge tone={past.verb === "deleted" ? "red" : "blue"} word={past.verb} /> by {past.by}{" "}
            <span className="faint">
              <Ago at={past.at} />
              {past.changed.length > 0 &&
                ` · ${past.changed.length} ${past.changed.length === 1 ? "field" : "fields"} changed`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
