// Whether what is on screen is what is: live, catching up after a cut, or asked for every few seconds.
import { useLive } from "@/live/live";
import { useTip } from "@/ui/Tip";

const SAYS = {
  live: ["green", "live: changes appear as they are stored"],
  "catching up": ["yellow", "catching up: the stream was cut and is being resumed"],
  polling: ["orange", "polling: no stream, the page asks every 5 s"],
  "signed out": ["red", "signed out"],
} as const;

export function StreamDot() {
  const { health } = useLive();
  const [tone, says] = SAYS[health];
  const [tip, events] = useTip(says);
  return (
    <>
      <span {...events} className={`stream tone-${tone}`} role="status" aria-label={`stream: ${says}`}>
        <span className="dot" aria-hidden />
        <span className="wide">{health}</span>
      </span>
      {tip}
    </>
  );
}
