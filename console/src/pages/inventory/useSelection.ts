// Which rows are chosen, while they are there.
import { useMemo, useRef, useState } from "react";
import { titled } from "@/api/kinds";
import type { Entity } from "@/api/shapes";
import { useKeys } from "@/ui/keys";
import type { Selection } from "@/ui/Table";
import { toggled } from "@/words/selection";

const refOf = (row: Entity) => row.metadata.ref;

export function useSelection(rows: Entity[]): Selection<Entity> & { chosen: Entity[]; clear: () => void } {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const order = useMemo(() => rows.map(refOf), [rows]);
  const chosen = useMemo(() => rows.filter((row) => keys.has(refOf(row))), [rows, keys]);
  const clear = () => setKeys(new Set());
  useKeys("chosen rows", keys.size ? [{ keys: "Escape", says: "choose none", do: clear }] : []);
  return {
    keys: useMemo(() => new Set(chosen.map(refOf)), [chosen]),
    chosen,
    clear,
    nameOf: (row) => `${titled(row.kind)} ${row.metadata.name}`,
    toggle: (key, stretch) => {
      const from = stretch ? last.current : null;
      last.current = key;
      setKeys((known) => toggled(known, order, key, from));
    },
    all: (wanted) => setKeys(new Set(wanted ? order : [])),
  };
}
