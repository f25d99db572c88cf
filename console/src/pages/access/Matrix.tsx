// Keys down, verbs across: what a role allows, forbids, or allows for some objects only.
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { permissionsQuery } from "@/api/people";
import { ALONE, becauseOf, type Cell, cellOf, patternsOf, type Rule } from "@/words/rules";

const SAYS: Record<Cell, { symbol: string; tone: string; word: string }> = {
  allow: { symbol: "✓", tone: "green", word: "allowed" },
  forbid: { symbol: "✗", tone: "red", word: "forbidden" },
  partly: { symbol: "◐", tone: "yellow", word: "for some objects only" },
  "": { symbol: "·", tone: "gray", word: "not allowed" },
};

export function Matrix({ rules, press }: { rules: Rule[]; press?: (key: string, verb: string) => void }) {
  const { data } = useQuery(permissionsQuery);
  const keys = (data?.items ?? []).filter(({ key }) => !ALONE.includes(key));
  const patterns = press ? patternsOf(keys.map(({ key }) => key)).map(everything) : [];
  const verbs = data?.verbs ?? [];
  return (
    <div className="table-scrolls">
      <table className="access-matrix">
        <caption className="faint">
          {Object.values(SAYS)
            .map(({ symbol, word }) => `${symbol} ${word}`)
            .join("   ")}
        </caption>
        <thead>
          <tr>
            <th scope="col">key</th>
            {verbs.map((verb) => (
              <th scope="col" key={verb}>
                {verb}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...patterns, ...sorted(keys)].map(({ key, about }) => (
            <tr key={key} className={key.endsWith("*") ? "access-pattern" : undefined}>
              <th scope="row" title={about}>
                <Dotted text={key} />
              </th>
              {verbs.map((verb) => (
                <td key={verb}>
                  <One rules={rules} name={key} verb={verb} press={press} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Long keys break after a dot, not inside a word. */
function Dotted({ text }: { text: string }) {
  const parts = text.split(".");
  return (
    <span className="mono">
      {parts.map((part, at) => (
        <Fragment key={parts.slice(0, at + 1).join(".")}>
          {at > 0 && (
            <>
              .<wbr />
            </>
          )}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

interface OneProps {
  rules: Rule[];
  name: string;
  verb: string;
  press?: (key: string, verb: string) => void;
}

function One({ rules, name, verb, press }: OneProps) {
  const { symbol, tone, word } = SAYS[cellOf(rules, name, verb)];
  const why = becauseOf(rules, name, verb);
  const label = `${verb} ${name}: ${word}`;
  if (!press)
    return (
      <span className={`access-cell tone-${tone}`} role="img" aria-label={label} title={why}>
        {symbol}
      </span>
    );
  return (
    <button
      type="button"
      className={`access-cell tone-${tone}`}
      aria-label={label}
      title={why}
      onClick={() => press(name, verb)}
    >
      {symbol}
    </button>
  );
}

const everything = (key: string) => ({ key, about: `everything that ${key} reaches, also what comes later` });

const sorted = (keys: { key: string; about: string }[]) =>
  [...keys].sort((one, other) => one.key.localeCompare(other.key));
