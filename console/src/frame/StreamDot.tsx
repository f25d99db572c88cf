// Whether what is on screen is what is: live, catching up after a cut, asked for every few seconds, or cut off.
import { useCut } from "@/api/connection";
import { useLive } from "@/live/live";
import { useTip } from "@/ui/Tip";

const SAYS = {
  live: ["green", "live: changes appear as they are stored"],
  "catching up": ["yellow", "catching up: the stream was cut and is being resumed"],
  polling: ["orange", "polling: no stream, the page asks every 5 s"],
  "signed out": ["red", "signed out"],
  "no connection": ["red", "no connection: the server does not answer"],
} as const;

export function StreamDot() {
  const { health } = useLive();
  const shown = useCut() ? "no connection" : health;
  const [tone, says] = SAYS[shown];
  const [tip, events] = useTip(says);
  return (
    <>
      <span {...events} className={`stream tone-${tone}`} role="status" aria-label={`stream: ${says}`}>
        <span className="dot" aria-hidden />
        <span className="wide">{shown}</span>
      </span>
      {tip}
    </>
  );
}
