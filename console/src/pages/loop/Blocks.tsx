// Passes as blocks: what was held is orange, what was taken away red, what was made or changed blue.
import type { Pass } from "@/api/loops";
import { counted, DESTRUCTIVE } from "@/words/groups";
import { VERBS } from "@/words/state";
import { exact } from "@/words/time";

export function Blocks({ passes, at, choose }: { passes: Pass[]; at: string; choose: (id: string) => void }) {
  return (
    <div className="loop-blocks" role="listbox" aria-label="passes" tabIndex={-1}>
      {passes.map((pass) => {
        const says = sentenceOf(pass);
        return (
          <button
            key={pass.id}
            type="button"
            role="option"
            className={`loop-block tone-${toneOf(pass)}`}
            aria-selected={pass.id === at}
            title={`${exact(pass.at, false)} · ${pass.name}: ${says}`}
            aria-label={`${pass.name}: ${says}`}
            onClick={() => choose(pass.id === at ? "" : pass.id)}
          >
            <span aria-hidden>{symbolOf(pass)}</span>
            <span className="loop-block-name">{pass.name}</span>
          </button>
        );
      })}
    </div>
  );
}

function toneOf(pass: Pass): string {
  if (pass.holds.length) return "orange";
  return Object.keys(pass.changes).some((verb) => DESTRUCTIVE.has(verb)) ? "red" : "blue";
}

function symbolOf(pass: Pass): string {
  if (pass.holds.length) return "!";
  const verbs = counted(Object.keys(pass.changes).map((verb) => ({ verb })));
  return verbs.map(([verb]) => VERBS[verb]?.symbol ?? "~").join("") || "=";
}

export function sentenceOf(pass: Pass): string {
  const changes = counted(
    Object.entries(pass.changes).flatMap(([verb, count]) => Array.from({ length: count }, () => ({ verb }))),
  ).map(([verb, count]) => `${count} to ${verb}`);
  const held = pass.holds.length ? `; held by ${pass.holds.map((hold) => hold.guard).join(", ")}` : "";
  return `${changes.join(", ") || "nothing to do"}, ${pass.allowed} let through${held}`;
}
