// A scaling group: a place for each host it has, lacks, or may grow into; and when it decides again.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { relatedQuery } from "@/api/entity";
import type { Entity } from "@/api/shapes";
import { keepScope } from "@/scope/scope";
import { Ago, useNow } from "@/ui/Ago";
import { Problem } from "@/ui/Problem";
import { groupSentence, restsFor, type Slot, slotsOf } from "@/words/group";
import { linkTo } from "@/words/link";
import { STATES } from "@/words/state";
import { span } from "@/words/time";
import type { Shown } from "../../Resource";

export default function Group({ entity }: Shown) {
  const related = useQuery(relatedQuery(entity.metadata.organization ?? "", entity.metadata.ref));
  const hosts = (related.data ?? []).filter((each) => each.relation === "has").map((each) => each.object);
  const number = (name: string) => Number(entity.spec[name] ?? 0);
  const spec = { desired: number("desired"), min: number("min"), max: number("max") };
  return (
    <section aria-label="members">
      <h2>
        Members <span className="faint">{groupSentence(hosts, spec)}</span>
      </h2>
      <Problem error={related.error} />
      <ul className="pictures-slots" aria-label="places">
        {slotsOf(hosts, spec.desired, spec.max).map((slot, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place is its number
          <li key={at}>
            <Place slot={slot} />
          </li>
        ))}
      </ul>
      <Decides entity={entity} cooldown={number("cooldown_seconds")} />
    </section>
  );
}

function Place({ slot }: { slot: Slot }) {
  if (slot.sort !== "host")
    return (
      <span
        className={`pictures-slot ${slot.sort}`}
        title={slot.sort === "missing" ? "wanted, and not there yet" : "room to grow"}
      >
        {slot.sort === "missing" ? "…" : ""}
      </span>
    );
  const { host } = slot;
  const { symbol, tone } = STATES[host.status.state];
  const { to, params } = linkTo(host);
  return (
    <Link
      to={to as never}
      params={params as never}
      search={keepScope}
      className={`pictures-slot tone-${tone}`}
      title={`${host.status.state}: ${host.status.reason}`}
    >
      <span aria-hidden>{symbol}</span>
      <span className="pictures-slot-name">{host.metadata.name}</span>
      <span className="pictures-slot-name faint">
        {String(host.status.facts.address ?? "no address yet")}
      </span>
    </Link>
  );
}

function Decides({ entity, cooldown }: { entity: Entity; cooldown: number }) {
  const decided = entity.status.facts.decided_at as number | undefined;
  const rests = restsFor(decided, cooldown, useNow());
  return (
    <p className="faint">
      {decided ? (
        <>
          It last changed its size <Ago at={decided} />;{" "}
        </>
      ) : (
        "It has not changed its size yet; "
      )}
      {rests > 0 ? `it decides again in ${span(rests)}.` : "it may decide at its next look."}
    </p>
  );
}
