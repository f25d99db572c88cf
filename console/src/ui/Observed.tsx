// When an object was observed last and will be next; where that is long overdue, what is wrong.
import type { Status } from "@/api/shapes";
import { Ago, useNow } from "./Ago";

export function Observed({ status }: { status: Status }) {
  const now = useNow();
  const { observed_at, next_observation_at: next, stale, failures = 0 } = status;
  if (!observed_at && !next && !stale) return null;
  return (
    <>
      {" · "}
      {stale ? (
        <span className="tone-orange">▲ {stale}</span>
      ) : observed_at ? (
        <>
          observed <Ago at={observed_at} />
        </>
      ) : (
        "not observed yet"
      )}
      {failures > 0 && `, failed ${failures === 1 ? "once" : `${failures} times in a row`}`}
      {next && <>, next observation {Date.parse(next) > now ? <Ago at={next} /> : "due now"}</>}
    </>
  );
}
