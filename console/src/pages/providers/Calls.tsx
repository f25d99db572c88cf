// How many calls the vendor still lets us make; a part of them is kept for what people wait for.
import type { Json } from "@/api/shapes";
import { number } from "@/words/now";

export function Calls({ facts }: { facts: Json | undefined }) {
  const told = facts as { limit?: number; left_percent?: number; reserve_percent?: number } | undefined;
  if (told?.limit === undefined || told.left_percent === undefined)
    return <span className="faint">the vendor did not say how many it allows</span>;
  const { limit, left_percent: left, reserve_percent: reserve = 0 } = told;
  const tone = left <= reserve ? "red" : left < 50 ? "yellow" : "green";
  return (
    <span className="row wrap">
      <svg className="providers-quota" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
        <rect width="100" height="8" className="providers-track" />
        <rect width={left} height="8" className={`providers-left tone-${tone}`} />
        <line x1={reserve} x2={reserve} y1="0" y2="8" className="providers-reserve" />
      </svg>
      <span className="number">
        at least {left} % of {number(limit)} left
      </span>
      <span className="faint">{reserve} % are kept for what people wait for</span>
    </span>
  );
}
