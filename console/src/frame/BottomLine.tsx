// The last line: how far the stream is, what was told last, and which version this is.
import { useState } from "react";
import type { Told } from "@/api/shapes";
import { useEvents } from "@/live/live";
import { Ago } from "@/ui/Ago";

export function BottomLine() {
  const [last, setLast] = useState<Told | null>(null);
  useEvents(setLast);
  return (
    <footer className="bottom">
      <span className="cut">
        {last ? (
          <>
            revision <span className="number">{last.revision}</span> · <Ago at={last.at} /> · {last.message}
          </>
        ) : (
          "nothing was told since this page was opened"
        )}
      </span>
      <span className="grow" />
      <a href="/docs/problems">problems and cures</a>
      <span>setpoint {__VERSION__}</span>
    </footer>
  );
}
