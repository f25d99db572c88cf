// How large the last decisions were, as bars: what is made and changed above, what is taken away in red.
import type { Pass } from "@/api/loops";
import { DESTRUCTIVE } from "@/words/groups";

const WIDTH = 4;
const HEIGHT = 26;

export function Sizes({ passes }: { passes: Pass[] }) {
  if (passes.length === 0) return <span className="faint">none on record</span>;
  const sized = [...passes].reverse().map(sizesOf);
  const most = Math.max(1, ...sized.map((each) => each.gone + each.rest));
  const says = sized.map((each) => each.gone + each.rest).join(", ");
  return (
    <svg
      width={sized.length * (WIDTH + 1)}
      height={HEIGHT}
      role="img"
      aria-label={`changes per decision: ${says}`}
    >
      {sized.map((each, at) => {
        const gone = scaled(each.gone, most);
        const rest = scaled(each.rest, most);
        const x = at * (WIDTH + 1);
        return (
          <g key={each.id}>
            <rect x={x} y={HEIGHT - gone - rest} width={WIDTH} height={rest} fill="var(--blue)" />
            <rect x={x} y={HEIGHT - gone} width={WIDTH} height={gone} fill="var(--red)" />
            {each.gone + each.rest === 0 && (
              <rect x={x} y={HEIGHT - 2} width={WIDTH} height={2} fill="var(--line)" />
            )}
          </g>
        );
      })}
    </svg>
  );
}

function sizesOf(pass: Pass): { id: string; gone: number; rest: number } {
  let gone = 0;
  let rest = 0;
  for (const [verb, count] of Object.entries(pass.changes)) {
    if (DESTRUCTIVE.has(verb)) gone += count;
    else rest += count;
  }
  return { id: pass.id, gone, rest };
}

/** Logarithmic, so that one change beside a thousand is still seen. */
function scaled(size: number, most: number): number {
  return size === 0 ? 0 : Math.max(3, (Math.log1p(size) / Math.log1p(most)) * (HEIGHT - 2));
}
