// Above every page while the server does not answer: since when, how old what one sees is, and when it is tried again.
import { connection, TRY_EVERY_MS, useCut } from "@/api/connection";
import { useNow } from "@/ui/Ago";
import { useUtc } from "@/ui/preferences";
import { span, timeOf } from "@/words/time";

export function ConnectionBar() {
  const cut = useCut();
  const now = useNow();
  const [utc] = useUtc();
  if (!cut) return null;
  // The clock of the page ticks once a second: it may be a moment behind.
  const next = Math.min(TRY_EVERY_MS, Math.max(0, cut.next - now));
  return (
    <section className="connection tone-yellow" aria-label="connection">
      {/* Said once: what ticks is not read out every second. */}
      <span className="hidden" role="alert">
        No connection to the server since {timeOf(cut.since, now, utc)}. What you see stays; nothing can be
        changed.
      </span>
      <span className="grow">
        <strong>▲ No connection for {span((now - cut.since) / 1000)}.</strong> What you see is from{" "}
        {timeOf(cut.heard, now, utc)}; nothing can be changed. Trying again{" "}
        {next > 0 ? `in ${Math.ceil(next / 1000)} s` : "now"}.
      </span>
      <button type="button" className="link" onClick={() => void connection.tryNow()}>
        Try now
      </button>
    </section>
  );
}
