// One loop: its last passes as blocks, what keeps failing or is fought over, its lever, and any pass to be replayed.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { titled, useKind } from "@/api/kinds";
import { type LoopRow, loopsQuery, type Pass, passesQuery } from "@/api/loops";
import type { Mode } from "@/api/shapes";
import { useSwitches } from "@/api/switches";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { useKeys } from "@/ui/keys";
import { QueryProblem } from "@/ui/QueryProblem";
import { ModeBadge } from "@/ui/StateBadge";
import { together } from "@/words/loops";
import { MODES } from "@/words/state";
import { Blocks } from "./loop/Blocks";
import { Figures, Queue } from "./loop/Figures";
import { PassDetail } from "./loop/PassDetail";
import { PauseKind } from "./loop/PauseKind";
import { SizesOverTime } from "./loop/Sizes";
import { Troubled } from "./loop/Troubled";
import "./loop/loop.css";

export default function Loop() {
  const { kind: name = "" } = useParams({ strict: false }) as { kind?: string };
  const scope = useScope();
  const { organization = "" } = scope;
  const kind = useKind(name);
  const loops = useQuery(loopsQuery(scope));
  const loop = useMemo(
    () => together((loops.data?.items ?? []).filter((each) => each.kind === name)),
    [loops.data, name],
  );
  const passes = useQuery(passesQuery(organization, name));
  const lever = useSwitches().find((each) => each.key === `kind:${name}`);
  const mode: Mode = lever?.mode ?? "run";
  const [at, setAt] = useParam("pass");
  const [pausing, setPausing] = useState(false);
  const rows = within(passes.data ?? [], scope.project ? loop : undefined);
  const index = rows.findIndex((pass) => pass.id === at);
  const step = (by: number) => {
    const next = rows[Math.min(Math.max(index + by, 0), rows.length - 1)];
    if (next) setAt(next.id);
  };
  useKeys("passes", [
    { keys: "j", says: "pass before that", do: () => step(1) },
    { keys: "k", says: "pass after that", do: () => step(-1) },
    { keys: "p", says: "pause or resume this kind", do: () => setPausing(true) },
  ]);
  return (
    <div className="page">
      <header>
        <h1>{titled(name)}</h1>
        <ModeBadge mode={mode} />
        <span className="faint">
          {scope.project && `in ${textOf(scope)} · `}
          {kind?.about}
        </span>
        <span className="grow" />
        <Link to={"/inventory" as never} search={{ scope: textOf(scope), kind: name } as never}>
          its objects
        </Link>
        <Button look={mode === "run" ? "danger" : "main"} keys="p" onClick={() => setPausing(true)}>
          {mode === "run" ? "Pause this kind" : "Resume this kind"}
        </Button>
      </header>
      {lever && mode !== "run" && (
        <p className="tone-orange">
          ! {MODES[mode].is} by {lever.by} <Ago at={lever.since} />: {lever.reason}
        </p>
      )}
      <QueryProblem query={loops.error ? loops : passes} />
      {loop && <Figures loop={loop} />}
      {loop && <Queue loop={loop} />}
      {loop && <Troubled loop={loop} />}
      {loop && loop.decisions.length > 1 && (
        <section className="card loop-sizes">
          <h2>
            How large its decisions were <span className="faint">red is taken away</span>
          </h2>
          <SizesOverTime decisions={loop.decisions} />
        </section>
      )}
      <section>
        <h2>
          Last {rows.length || ""} passes that decided something{" "}
          <span className="faint">newest first; press one to see what it knew, and to replay it</span>
        </h2>
        {passes.isSuccess && rows.length === 0 ? (
          <Empty
            title="No pass had anything to decide"
            command="setpoint passes"
            action={<Go to="/inventory">Look at what is declared</Go>}
          >
            A pass that finds everything as declared leaves no trace. What differs, or is held, is kept for 30
            days.
          </Empty>
        ) : (
          <Blocks passes={rows} at={at} choose={setAt} />
        )}
      </section>
      {at && <PassDetail key={at} id={at} />}
      {!at && rows[0] && <Hint pass={rows[0]} choose={setAt} />}
      {pausing && <PauseKind kind={name} mode={mode} close={() => setPausing(false)} />}
    </div>
  );
}

/** Where one looks at a part only: the passes of that part, as far as they are told of. */
function within(passes: Pass[], loop: LoopRow | undefined): Pass[] {
  if (!loop) return passes;
  const known = new Set(loop.decisions.map((each) => each.id));
  return passes.filter((each) => known.has(each.id));
}

function Hint({ pass, choose }: { pass: Pass; choose: (id: string) => void }) {
  return (
    <p className="faint">
      The last one, about {pass.name}, was <Ago at={pass.at} />.{" "}
      <button type="button" className="link" onClick={() => choose(pass.id)}>
        open it
      </button>
    </p>
  );
}
