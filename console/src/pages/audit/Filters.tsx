// Narrowing the audit: who, what, about what. Kept in the address; the server does it.
import { useEffect, useState } from "react";
import type { Line, Narrowed } from "@/api/audit";
import type { Search } from "@/ui/address";

const FIELDS = [
  { key: "actor", label: "who", hint: "ann@acme.example" },
  { key: "action", label: "did", hint: "intent or intent.deleted" },
  { key: "about", label: "to", hint: "web-1 or host/…" },
] as const;

export function Filters({
  narrowed,
  rows,
  set,
}: {
  narrowed: Narrowed;
  rows: Line[];
  set: (values: Search) => void;
}) {
  const offered = {
    actor: unique(rows.map((row) => row.actor)),
    action: unique(rows.flatMap((row) => [row.action.split(".")[0] ?? "", row.action])),
    about: unique(rows.map((row) => String(row.detail.name ?? ""))).slice(0, 50),
  };
  return (
    <div className="row wrap audit-filters">
      {FIELDS.map(({ key, label, hint }) => (
        <One
          key={key}
          label={label}
          hint={hint}
          value={narrowed[key] ?? ""}
          offered={offered[key]}
          set={(value) => set({ [key]: value, line: "" })}
        />
      ))}
    </div>
  );
}

interface OneProps {
  label: string;
  hint: string;
  value: string;
  offered: string[];
  set: (value: string) => void;
}

function One({ label, hint, value, offered, set }: OneProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    const timer = setTimeout(() => typed !== value && set(typed.trim()), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label className="row">
      <span className="faint">{label}</span>
      <input
        className="filter"
        type="search"
        list={`audit-${label}`}
        placeholder={hint}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <datalist id={`audit-${label}`}>
        {offered.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}

const unique = (texts: string[]) => [...new Set(texts)].filter(Boolean).sort();
