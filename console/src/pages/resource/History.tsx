// What happened to it, newest first: told events and acts on one line of time.
import { useQuery } from "@tanstack/react-query";
import { historyQuery, whyQuery } from "@/api/entity";
import { Ago } from "@/ui/Ago";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Problem } from "@/ui/Problem";
import { timeline } from "@/words/timeline";
import type { Shown } from "../Resource";

export function History({ entity, path }: Shown) {
  const [, go] = useParam("tab", "summary");
  const why = useQuery(whyQuery(path));
  const pasts = useQuery(historyQuery(path));
  const moments = timeline(why.data?.evidence.events ?? [], pasts.data ?? []);
  return (
    <>
      <Problem error={why.error ?? pasts.error} />
      <ol className="timeline">
        {moments.map((each) => (
          <li key={each.key} className={`tone-${each.tone}`}>
            <span className="number faint">
              <Ago at={each.at} />
            </span>
            <span className="dot" aria-hidden />
            <span>
              <strong>{each.word}</strong> <span className="plain">{each.message}</span>
              {each.times > 1 && <span className="faint"> ×{each.times}</span>}
            </span>
          </li>
        ))}
      </ol>
      {why.isSuccess && pasts.isSuccess && moments.length === 0 && (
        <Empty
          title="Nothing was told about it yet"
          command={`setpoint events ${entity.kind} ${entity.metadata.name}`}
          action={<Button onClick={() => go("why")}>See why it is so</Button>}
        >
          What it was declared as, what was done about it and how it fared come here, newest first.
        </Empty>
      )}
    </>
  );
}
