// The mode in every header: what is, and in its menu what one can do about it. A stop is two presses and no typing; it is
// in force when the request returns, and shown everywhere at once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { Suspense, useState } from "react";
import { useWhyNot } from "@/api/access";
import { send } from "@/api/request";
import type { Mode, Switch } from "@/api/shapes";
import { above, modeOf, useSwitches } from "@/api/switches";
import { useLive } from "@/live/live";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { lateComponent } from "@/ui/late";
import { Menu } from "@/ui/Menu";
import { leverDeed } from "@/words/lever";
import { MODES, reachOf, USUAL_REASONS } from "@/words/state";

const ModeDialog = lateComponent(() => import("./ModeDialog"));

export function ModeSwitch() {
  const scope = useScope();
  const switches = useSwitches();
  const mode = modeOf(switches, scope);
  const [asked, ask] = useState<Mode | null>(null);
  const client = useQueryClient();
  const { flipped } = useLive();
  const here = textOf(scope);
  const key = here ? `scope:${here}` : "all";
  const whyNot = useWhyNot("execute", "organization.switch", here ? scope : {});
  const stop = useMutation({
    mutationFn: () => {
      const { method, path, body } = leverDeed(key, "stop", USUAL_REASONS.stop);
      return send(method, path, { body });
    },
    onSuccess: () => {
      flipped();
      return client.invalidateQueries({ queryKey: ["switches"] });
    },
    // Refused: the form says why, and can be sent from another place or with a password.
    onError: () => ask("stop"),
  });
  const { is, symbol, tone } = MODES[mode];
  const others = (["run", "no-deletes", "observe"] as const).filter((each) => each !== mode);
  return (
    <>
      <span className={`mode tone-${tone}`}>
        <Menu
          title={`${reachOf(key)}: ${is}, ${MODES[mode].says}`}
          target={
            <Button
              label={`mode: ${is}; change it`}
              icon={<span aria-hidden>{symbol}</span>}
              busy={stop.isPending}
            >
              {is} <ChevronDown size={12} aria-hidden />
            </Button>
          }
          choices={[
            ...(mode === "stop"
              ? []
              : [
                  {
                    label: (
                      <Offer
                        title={`Stop ${reachOf(key)} now`}
                        says={`at once, reason "${USUAL_REASONS.stop}"`}
                      />
                    ),
                    icon: <span className="tone-red">{MODES.stop.symbol}</span>,
                    whyNot,
                    do: () => stop.mutate(),
                  },
                ]),
            ...others.map((each) => ({
              label: <Offer title={`${MODES[each].does} …`} says={MODES[each].says} />,
              icon: <span className={`tone-${MODES[each].tone}`}>{MODES[each].symbol}</span>,
              whyNot,
              do: () => ask(each),
            })),
            {
              label: <Offer title="Stop, with a reason …" says="here, above or everything" />,
              icon: <span className="tone-red">{MODES.stop.symbol}</span>,
              whyNot,
              do: () => ask("stop"),
            },
          ]}
        />
      </span>
      {asked && (
        <Suspense fallback={null}>
          <ModeDialog wanted={asked} close={() => ask(null)} error={stop.error} />
        </Suspense>
      )}
    </>
  );
}

function Offer({ title, says }: { title: string; says: string }) {
  return (
    <>
      {title}
      <div className="faint">{says}</div>
    </>
  );
}

export function ModeBanner() {
  const scope = useScope();
  const held = above(useSwitches(), scope).filter((each) => each.mode !== "run");
  return held.map((each) => <Banner key={each.key} lever={each} />);
}

function Banner({ lever }: { lever: Switch }) {
  const [open, setOpen] = useState(false);
  const { is, symbol, says, tone } = MODES[lever.mode];
  return (
    <div className={`banner tone-${tone}`} role="status">
      <span className="grow">
        <strong>
          {symbol} {reachOf(lever.key)}: {is}
        </strong>
        , {says}. Set by {lever.by} <Ago at={lever.since} />: {lever.reason}
      </span>
      <Button label={`Resume ${reachOf(lever.key)}`} onClick={() => setOpen(true)}>
        Resume
      </Button>
      {open && (
        <Suspense fallback={null}>
          <ModeDialog wanted="run" only={lever.key} close={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
