// Acts on the outside world: what was done to which item, and how it ended.
import type { Act } from "@/api/entity";
import { Ago } from "@/ui/Ago";
import { Diff } from "@/ui/Diff";
import { Badge, VerbBadge } from "@/ui/StateBadge";

const TONES = { done: "green", failed: "red", started: "blue", unknown: "yellow" } as const;

export function Acts({ acts }: { acts: Act[] }) {
  return (
    <div className="stack tight">
      {acts.map((act) => (
        <details key={act.id} className="card">
          <summary>
            <VerbBadge verb={act.verb} /> <span className="mono">{act.item}</span>{" "}
            <Badge tone={TONES[act.state as keyof typeof TONES] ?? "gray"} word={act.state} />{" "}
            <span className="faint">
              <Ago at={act.began_at} /> {act.detail}
            </span>
          </summary>
          <Diff before={act.before ?? undefined} after={act.after ?? undefined} />
        </details>
      ))}
    </div>
  );
}
