// Two presses: the first shows who loses what, and what is in the way; only then is there something to press.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Move } from "@/api/people";
import { ifUnanswered, send } from "@/api/request";
import type { Page } from "@/api/shapes";
import { Button } from "@/ui/Button";
import { Found } from "./Moves";

export interface RemovalProps {
  /** Of the role or the membership that goes. */
  path: string;
  asks: string;
  does: string;
  whyNot: string;
  busy: boolean;
  remove: () => void;
}

export function Removal({ path, asks, does, whyNot, busy, remove }: RemovalProps) {
  const [sure, setSure] = useState(false);
  const preview = useQuery({
    queryKey: ["preview", path, "deletes"],
    queryFn: ({ signal }) =>
      send<Page<Move> & { why_not: string }>("POST", `${path}:preview`, {
        query: { deletes: true, page_size: 100 },
        signal,
      }),
    enabled: sure,
    retry: ifUnanswered,
    staleTime: 0,
  });
  if (!sure)
    return (
      <div>
        <Button look="danger" whyNot={whyNot} onClick={() => setSure(true)}>
          {asks}
        </Button>
      </div>
    );
  const refused = preview.data?.why_not ?? "";
  return (
    <div className="card stack access-removal">
      <section className="access-moves" aria-label="what is lost" aria-busy={preview.isFetching}>
        <h3>Who loses what</h3>
        <Found page={preview.data} error={preview.error} nothing="Nobody loses anything by it." />
      </section>
      {refused && <p className="plain tone-orange">! {refused}</p>}
      <div className="row wrap">
        <Button
          look="danger"
          writes
          busy={busy}
          whyNot={refused || (preview.data ? "" : "one moment: who loses what is asked")}
          onClick={remove}
        >
          {does}
        </Button>
        <Button look="quiet" onClick={() => setSure(false)}>
          Keep
        </Button>
      </div>
    </div>
  );
}
