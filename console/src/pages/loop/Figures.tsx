// A loop in figures: how often it looks, how long that takes, who waits for it.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoopRow } from "@/api/loops";
import { useScope } from "@/scope/useScope";
import { Deletes, Looks, States, Took, Undone } from "./columns";

export function Figures({ loop }: { loop: LoopRow }) {
  return (
    <div className="loop-figures">
      <Figure title="Looks">
        <Looks row={loop} />
      </Figure>
      <Figure title="A pass takes">
        <Took row={loop} />
      </Figure>
      <Figure title="Due now">
        <span className="number">{loop.due ?? "…"}</span>
      </Figure>
      <Figure title="Objects">
        <States states={loop.states} total={loop.entities} />
      </Figure>
      <Figure title="Does not get done">
        <Undone row={loop} />
      </Figure>
      <Figure title="Deletes in the last hour">
        <Deletes row={loop} />
      </Figure>
    </div>
  );
}

function Figure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Who waits for a turn at this moment, the first of them by name. */
export function Queue({ loop }: { loop: LoopRow }) {
  const { organization } = useScope();
  if (loop.queue.length === 0) return null;
  const more = (loop.due ?? 0) - loop.queue.length;
  return (
    <p>
      <span className="faint">waiting for their turn: </span>
      {loop.queue.map((each, at) => (
        <span key={each.ref}>
          {at > 0 && ", "}
          <Link
            to={"/inventory" as never}
            search={{ scope: organization, kind: loop.kind, text: each.name } as never}
          >
            {each.name}
          </Link>
        </span>
      ))}
      {more > 0 && <span className="faint"> and {more} more</span>}
    </p>
  );
}
