// The lever in every header: run, no deletes, observe, stop. In force when the request returns, shown everywhere at once.
import { OctagonPause, Play } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { above, modeOf, useSwitches } from "@/api/switches";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { whenIdle } from "@/ui/late";
import { MODES, reachOf } from "@/words/state";

const load = () => import("./ModeDialog");
const ModeDialog = lazy(load);

export function ModeSwitch() {
  const scope = useScope();
  const mode = modeOf(useSwitches(), scope);
  const [open, setOpen] = useState(false);
  // A stop is not to wait for a file.
  useEffect(() => whenIdle(() => void load()), []);
  const Icon = mode === "run" ? Play : OctagonPause;
  return (
    <>
      <span className={`mode tone-${MODES[mode].tone}`}>
        <Button
          label={`mode: ${MODES[mode].word}; change it`}
          icon={<Icon size={14} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {MODES[mode].word}
        </Button>
      </span>
      {open && (
        <Suspense fallback={null}>
          <ModeDialog mode={mode} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

export function ModeBanner() {
  const scope = useScope();
  const held = above(useSwitches(), scope).filter((each) => each.mode !== "run");
  return held.map((each) => (
    <div key={each.key} className={`banner tone-${MODES[each.mode].tone}`} role="status">
      <strong>! {MODES[each.mode].word}</strong> for {reachOf(each.key)}: {MODES[each.mode].says}. Set by{" "}
      {each.by} <Ago at={each.since} />: {each.reason}
    </div>
  ));
}
