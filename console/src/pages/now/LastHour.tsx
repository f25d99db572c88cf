// Sixty minutes as stacked bars; each colour is a sort of event, told again in words beside it.
import { BARS, type Bar, type Hour, type Minute } from "@/api/activity";
import { titled } from "@/api/kinds";
import { Ago } from "@/ui/Ago";
import { EntityLink } from "@/ui/EntityLink";

const WORDS: Record<Bar, string> = {
  declared: "declared",
  acts: "changes made",
  states: "states changed",
  held: "held",
  failures: "failed",
};
const WIDE = 600;
const HIGH = 72;

export function LastHour({ hour }: { hour: Hour | undefined }) {
  if (!hour) return null;
  const sums = BARS.map((bar) => [bar, hour.minutes.reduce((sum, each) => sum + each[bar], 0)] as const);
  const told = sums.map(([bar, sum]) => `${sum} ${WORDS[bar]}`).join(", ");
  return (
    <section aria-label="the last hour">
      <h2>The last hour</h2>
      <div className="card">
        <Strip minutes={hour.minutes} label={`the last hour: ${told}`} />
        <div className="row wrap legend">
          {sums.map(([bar, sum]) => (
            <span key={bar}>
              <span className={`swatch bar-${bar}`} aria-hidden /> <strong className="number">{sum}</strong>{" "}
              {WORDS[bar]}
            </span>
          ))}
          {!hour.complete && <span className="faint">more happened than is counted here</span>}
        </div>
      </div>
      <ul className="latest">
        {hour.latest.slice(0, 6).map((each) => (
          <li key={each.revision}>
            <span className="number faint">
              <Ago at={each.at} />
            </span>
            <span className="cut">
              {each.name ? (
                <>
                  <span className="faint">{titled(each.ref.split("/")[0] ?? "")}</span>{" "}
                  <EntityLink
                    entity={{
                      kind: each.ref.split("/")[0] ?? "",
                      metadata: { ...each.scope, name: each.name },
                    }}
                  />
                </>
              ) : (
                <span className="faint">{each.ref.split("/")[0]}</span>
              )}
            </span>
            <span className="cut">{each.message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Strip({ minutes, label }: { minutes: Minute[]; label: string }) {
  const most = Math.max(4, ...minutes.map((each) => BARS.reduce((sum, bar) => sum + each[bar], 0)));
  const step = WIDE / minutes.length;
  return (
    <svg
      className="strip"
      viewBox={`0 0 ${WIDE} ${HIGH}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {minutes.map((minute, at) => {
        let top = HIGH;
        return BARS.map((bar) => {
          const high = (minute[bar] / most) * HIGH;
          top -= high;
          return high > 0 ? (
            <rect
              key={minute.at + bar}
              className={`bar-${bar}`}
              x={at * step + 1}
              y={top}
              width={step - 2}
              height={high}
            />
          ) : null;
        });
      })}
      <line x1="0" x2={WIDE} y1={HIGH} y2={HIGH} className="axis" />
    </svg>
  );
}
