// The same thing done elsewhere: as a command, as curl, as a file, in Python. The console teaches the API.
import { useEffect, useState } from "react";
import type { Json } from "@/api/shapes";
import { asCurl, asPython, type Deed } from "@/words/deed";
import { Copied } from "./Copied";

const WAYS = ["CLI", "curl", "YAML", "Python"] as const;

export function ShowAs({ deed }: { deed: Deed }) {
  const [way, setWay] = useState<(typeof WAYS)[number] | "">("");
  const yaml = useYaml(way === "YAML" ? deed.manifest : undefined);
  const texts: Record<(typeof WAYS)[number], string> = {
    CLI: deed.command,
    curl: asCurl(deed, location.origin),
    YAML: deed.manifest === undefined ? "# this is an act, not a declaration: no file says it" : yaml,
    Python: asPython(deed, location.origin),
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

/** Written when it is looked at: the writer is loaded then, not before. */
export function useYaml(value: Json | undefined): string {
  const [text, setText] = useState("");
  const raw = value === undefined ? "" : JSON.stringify(value);
  useEffect(() => {
    if (!raw) return;
    let here = true;
    void import("yaml").then(({ stringify }) => here && setText(stringify(JSON.parse(raw))));
    return () => {
      here = false;
    };
  }, [raw]);
  return text;
}
