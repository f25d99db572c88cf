// What if: one limit, the mode, or some items changed, and what the guards would have said then. Nothing is done by it.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type Replayed, replayPath, type WholePass } from "@/api/loops";
import { send } from "@/api/request";
import type { Json, Mode } from "@/api/shapes";
import { Line } from "@/pages/plan/Guards";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { ChoiceField, ListField, NumberField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { VerbBadge } from "@/ui/StateBadge";
import { worstFirst } from "@/words/groups";
import { MODES } from "@/words/state";

export function Replay({ pass, today }: { pass: WholePass; today: Replayed | undefined }) {
  const { organization = "" } = useScope();
  const limits = pass.case.limits;
  const usual = useMemo(() => limitOf(today) ?? "deletes_share", [today]);
  const [limit, setLimit] = useState("");
  const name = limit || usual;
  const [value, setValue] = useState<number | undefined>();
  const [mode, setMode] = useState("");
  const [without, setWithout] = useState<string[]>([]);
  const wish: Record<string, Json> = {
    ...(value !== undefined ? { limits: { [name]: value } } : {}),
    ...(mode ? { mode } : {}),
    ...(without.length ? { without } : {}),
  };
  const asked = JSON.stringify(wish);
  const again = useMutation({
    mutationFn: () => send<Replayed>("POST", replayPath(organization, pass.id), { body: wish }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another wish is judged once nobody types any more
  useEffect(() => {
    if (asked === "{}") return again.reset();
    const timer = setTimeout(() => again.mutate(), 250);
    return () => clearTimeout(timer);
  }, [asked]);
  const reset = () => {
    setValue(undefined);
    setMode("");
    setWithout([]);
  };
  const shown = asked === "{}" ? today : (again.data ?? today);
  return (
    <div className="loop-replay">
      <form className="stack" onSubmit={(event) => event.preventDefault()}>
        <ChoiceField
          label="limit"
          search
          value={name}
          change={(next) => {
            setLimit(next);
            setValue(undefined);
          }}
          choices={Object.keys(limits).map((each) => ({ value: each, label: `${each} (${limits[each]})` }))}
        />
        <NumberField label="would be" about={`was ${limits[name]}`} value={value} change={setValue} />
        <ChoiceField
          label="mode"
          value={mode}
          hint="as it was"
          change={setMode}
          choices={(Object.keys(MODES) as Mode[]).map((each) => ({ value: each, label: MODES[each].word }))}
        />
        <ListField label="without these items" hint="item, then Enter" value={without} change={setWithout} />
        <div className="row">
          <Button whyNot={asked === "{}" ? "nothing is changed" : ""} onClick={reset}>
            As it was
          </Button>
        </div>
        <Problem error={again.error} />
        <ShowAs
          deed={{
            method: "POST",
            path: replayPath(organization, pass.id),
            body: wish,
            command: `setpoint replay ${pass.id}`,
          }}
        />
      </form>
      {shown && <Outcome then={shown.then} now={shown.now} guards={shown.guards} changed={asked !== "{}"} />}
    </div>
  );
}

function Outcome({
  then,
  now,
  guards,
  changed,
}: Pick<Replayed, "then" | "now" | "guards"> & { changed: boolean }) {
  const before = new Set(then.holds.map((hold) => hold.guard));
  const held = guards.filter((guard) => guard.held);
  const released = then.holds.filter((hold) => !held.some((guard) => guard.name === hold.guard));
  return (
    <div aria-live="polite">
      <div className="loop-sides">
        <Side title="then" verdict={then} />
        <Side title={changed ? "would be" : "today"} verdict={now} />
      </div>
      {released.map((hold) => (
        <p key={hold.guard} className="tone-green">
          ✓ {hold.guard.replace(/_/g, " ")} would let go
        </p>
      ))}
      <ul className="plain plan-checklist">
        {held.map((guard) => (
          <Line key={guard.name} guard={guard} note={before.has(guard.name) ? "" : "would hold as well"} />
        ))}
      </ul>
      {held.length === 0 && <p className="tone-green">✓ no guard holds anything</p>}
    </div>
  );
}

function Side({ title, verdict }: { title: string; verdict: Replayed["then"] }) {
  const through = Object.values(verdict.allowed).reduce((sum, count) => sum + count, 0);
  return (
    <div className="loop-side">
      <h3>{title}</h3>
      <div className="row wrap">
        <strong className="number">{through} let through</strong>
        {worstFirst(verdict.allowed).map(([verb, count]) => (
          <span key={verb} className="row">
            <VerbBadge verb={verb} /> <span className="number">{count}</span>
          </span>
        ))}
        {verdict.later > 0 && <span className="faint">{verdict.later} in later waves</span>}
      </div>
      <div className={verdict.holds.length ? "tone-orange" : "faint"}>
        {verdict.holds.length ? `! held by ${verdict.holds.length}` : "held by none"}
      </div>
    </div>
  );
}

/** The first limit of the first guard that held: what one would turn first. */
function limitOf(today: Replayed | undefined): string | undefined {
  return today?.guards.find((guard) => guard.held && guard.limits.length)?.limits[0]?.name;
}
