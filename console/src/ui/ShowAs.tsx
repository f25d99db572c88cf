// The same thing done elsewhere: as a command, as curl, as a file, in Python. The console teaches the API.
import { useEffect, useState } from "react";
import type { Json } from "@/api/shapes";
import { asCurl, asPython, type Deed } from "@/words/deed";
import { Copied } from "./Copied";
import { yaml as loadYaml } from "./late";

const WAYS = ["CLI", "curl", "YAML", "Python"] as const;

export function ShowAs({ deed, others = [] }: { deed: Deed; others?: Deed[] }) {
  const [way, setWay] = useState<(typeof WAYS)[number] | "">("");
  const yaml = useYaml(way === "YAML" ? deed.manifest : undefined);
  const texts: Record<(typeof WAYS)[number], string> = {
    CLI: each([deed, ...others], (one) => one.command, "\n"),
    curl: each([deed, ...others], (one) => asCurl(one, location.origin), "\n\n"),
    YAML: deed.manifest === undefined ? "# this is an act, not a declaration: no file says it" : yaml,
    Python:
      (others.length ? `# the first of ${others.length + 1}; the others differ in their address\n` : "") +
      asPython(deed, location.origin),
  };
  return (
    <div className="show-as">
      <div className="row wrap">
        <span className="faint">show as</span>
        {WAYS.map((each) => (
          <button
            key={each}
            type="button"
            className="link"
            aria-pressed={each === way}
            onClick={() => setWay(each === way ? "" : each)}
          >
            {each}
          </button>
        ))}
      </div>
      {way && <Copied text={texts[way]} block />}
    </div>
  );
}

const MOST_SHOWN = 20;

/** The same done to several: the first of them in full, and how many more. */
function each(deeds: Deed[], said: (deed: Deed) => string, between: string): string {
  const lines = [...new Set(deeds.slice(0, MOST_SHOWN).map(said))];
  const more = deeds.length - MOST_SHOWN;
  return [...lines, ...(more > 0 ? [`# and ${more} more of the same`] : [])].join(between);
}

/** Written when it is looked at: the writer is loaded then, not before. */
export function useYaml(value: Json | undefined): string {
  const [text, setText] = useState("");
  const raw = value === undefined ? "" : JSON.stringify(value);
  useEffect(() => {
    if (!raw) return;
    let here = true;
    void loadYaml().then(({ stringify }) => here && setText(stringify(JSON.parse(raw))));
    return () => {
      here = false;
    };
  }, [raw]);
  return text;
}
