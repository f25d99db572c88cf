// A table of any length: only what is seen is drawn, more is asked for near its end. Sorting and filtering are the server's.
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useKeys } from "./keys";

export interface Column<T> {
  key: string;
  title: string;
  /** A CSS grid track, as `minmax(120px, 2fr)`. */
  width: string;
  cell: (row: T) => ReactNode;
  /** What the server calls this order; without it the column cannot be sorted by. */
  order?: string;
}

export interface TableProps<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string;
  open?: (row: T) => void;
  /** As the server takes it: `name` or `name desc`. */
  order?: string;
  setOrder?: (order: string) => void;
  more?: { has: boolean; loading: boolean; load: () => void };
  foot?: ReactNode;
  empty?: ReactNode;
  /** Further keys for the row that is chosen. */
  rowKeys?: { keys: string; says: string; do: (row: T) => void }[];
  chosen?: string;
  choose?: (key: string) => void;
  height?: number;
  /** Rows can be chosen for something that is done to several. */
  selection?: Selection<T>;
}

export interface Selection<T> {
  keys: ReadonlySet<string>;
  /** `stretch`: all from the row that was chosen last up to this one. */
  toggle: (key: string, stretch: boolean) => void;
  all: (chosen: boolean) => void;
  nameOf: (row: T) => string;
}

const ROW = 34;
const NEAR_END = 20;
const USUAL = 500;

export function Table<T>(props: TableProps<T>) {
  const { label, rows, keyOf, open, more, foot, empty, rowKeys = [], height = ROW, selection } = props;
  const columns = selection ? [chooser(selection, keyOf), ...props.columns] : props.columns;
  const scroll = useRef<HTMLDivElement>(null);
  const id = useId();
  const [own, setOwn] = useState("");
  const chosen = props.chosen ?? own;
  const choose = props.choose ?? setOwn;
  const at = rows.findIndex((row) => keyOf(row) === chosen);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    overscan: 6,
    // Until it is measured: the first drawing has rows, not an empty body.
    initialRect: { width: 0, height: USUAL },
  });
  const seen = virtual.getVirtualItems();
  const last = seen.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more?.has && !more.loading && last >= rows.length - NEAR_END) more.load();
  }, [more, last, rows.length]);
  const go = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    const row = rows[next];
    if (row === undefined) return;
    choose(keyOf(row));
    virtual.scrollToIndex(next);
  };
  const withRow = (act: (row: T) => void) => () => {
    const row = rows[at];
    if (row !== undefined) act(row);
  };
  useKeys("rows", [
    { keys: "j", says: "next row", do: () => go(at + 1) },
    { keys: "k", says: "row before", do: () => go(at < 0 ? 0 : at - 1) },
    ...(open ? [{ keys: "Enter", says: "open the row", do: withRow(open) }] : []),
    ...(selection
      ? [
          { keys: "x", says: "choose the row", do: withRow((row) => selection.toggle(keyOf(row), false)) },
          {
            keys: "X",
            says: "choose all up to here",
            do: withRow((row) => selection.toggle(keyOf(row), true)),
          },
        ]
      : []),
    ...rowKeys.map((key) => ({ keys: key.keys, says: key.says, do: withRow(key.do) })),
  ]);
  const nothing = Boolean(empty) && rows.length === 0 && !more?.loading && !more?.has;
  const tracks = {
    "--columns": columns.map((column) => column.width).join(" "),
    // The same for every row, whatever is in it: else each row would have columns of its own.
    "--least": `${columns.reduce((sum, { width }) => sum + leastOf(width), 0)}px`,
  } as React.CSSProperties;
  return (
    <div className="table" style={tracks}>
      <div
        className="table-scroll"
        data-empty={nothing || undefined}
        ref={scroll}
        role="grid"
        aria-label={label}
        aria-rowcount={more?.has ? -1 : rows.length + 1}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          go(at < 0 ? 0 : at + by);
        }}
      >
        <Head {...props} columns={columns} />
        <div
          className="table-body"
          role="rowgroup"
          style={{ height: virtual.getTotalSize(), position: "relative" }}
        >
          {seen.map(({ index, start }) => {
            const row = rows[index] as T;
            const key = keyOf(row);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: j, k and Enter act on the chosen row
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                tabIndex={-1}
                aria-rowindex={index + 2}
                aria-selected={key === chosen}
                data-chosen={selection?.keys.has(key) || undefined}
                className="table-row"
                style={{ transform: `translateY(${start}px)`, height }}
                onClick={(event) => {
                  // A link leaves the page: what is chosen on it must not be written into the next address.
                  if ((event.target as HTMLElement).closest("a")) return;
                  choose(key);
                  if (!(event.target as HTMLElement).closest("button,input")) open?.(row);
                }}
              >
                {columns.map((column) => (
                  <div role="gridcell" key={column.key} tabIndex={-1}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {/* Beside the grid: in it only rows mean something to a screen reader. */}
      {nothing && <div className="table-empty">{empty}</div>}
      {foot && <div className="table-foot">{foot}</div>}
    </div>
  );
}

function chooser<T>(selection: Selection<T>, keyOf: (row: T) => string): Column<T> {
  return {
    key: "chooser",
    title: "",
    width: "34px",
    cell: (row) => (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`choose ${selection.nameOf(row)}`}
        checked={selection.keys.has(keyOf(row))}
        onChange={(event) =>
          selection.toggle(keyOf(row), (event.nativeEvent as unknown as MouseEvent).shiftKey === true)
        }
      />
    ),
  };
}

const leastOf = (track: string) => Number(/(\d+)px/.exec(track)?.[1] ?? 80);

function Head<T>({ columns, order = "", setOrder, selection, rows }: TableProps<T>) {
  const [by, way] = order.split(" ");
  return (
    <div className="table-row table-head" role="row">
      {columns.map((column) => {
        const sorted = column.order !== undefined && column.order === by;
        const next = sorted && way !== "desc" ? `${column.order} desc` : (column.order ?? "");
        const said = sorted ? (way === "desc" ? "descending" : "ascending") : undefined;
        return (
          <div role="columnheader" key={column.key} aria-sort={said}>
            {column.order !== undefined && setOrder ? (
              <button
                type="button"
                onClick={() => setOrder(next)}
                title={`sort by ${column.title.toLowerCase()}`}
              >
                {column.title}
                {sorted &&
                  (way === "desc" ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />)}
              </button>
            ) : column.key === "chooser" && selection ? (
              <input
                type="checkbox"
                aria-label="choose all that are shown"
                checked={rows.length > 0 && selection.keys.size >= rows.length}
                ref={(box) => {
                  if (box) box.indeterminate = selection.keys.size > 0 && selection.keys.size < rows.length;
                }}
                onChange={(event) => selection.all(event.currentTarget.checked)}
              />
            ) : (
              column.title
            )}
          </div>
        );
      })}
    </div>
  );
}
