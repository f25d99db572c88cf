import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { toggled } from "@/words/selection";
import { drawn } from "./drawn";
import { startKeys } from "./keys";
import { Table } from "./Table";

const ROWS = ["a", "b", "c"].map((name) => ({ name }));
const COLUMNS = [
  { key: "name", title: "Name", width: "1fr", order: "name", cell: (row: { name: string }) => row.name },
];
const keyOf = (row: { name: string }) => row.name;

// Nothing has a size here, and what has no size shows no rows: all of them are in sight instead.
vi.mock("@tanstack/react-virtual", () => ({
  useVirtualizer: ({ count, estimateSize }: { count: number; estimateSize: () => number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: index * estimateSize() })),
    getTotalSize: () => count * estimateSize(),
    scrollToIndex: () => {},
  }),
}));
beforeAll(startKeys);
afterEach(cleanup);

test("rows are walked by keys, and opened", async () => {
  const open = vi.fn();
  await drawn(<Table label="things" columns={COLUMNS} rows={ROWS} keyOf={keyOf} open={open} />);
  await userEvent.keyboard("jj");
  expect(screen.getByRole("row", { selected: true }).textContent).toBe("b");
  await userEvent.keyboard("k{Enter}");
  expect(open).toHaveBeenCalledWith(ROWS[0]);
});

test("a heading sorts by what the server calls it, then the other way", async () => {
  const setOrder = vi.fn();
  const table = (order: string) => (
    <Table label="things" columns={COLUMNS} rows={ROWS} keyOf={keyOf} order={order} setOrder={setOrder} />
  );
  await drawn(table("name"));
  expect(screen.getByRole("columnheader").getAttribute("aria-sort")).toBe("ascending");
  await userEvent.click(screen.getByRole("button", { name: "Name" }));
  expect(setOrder).toHaveBeenCalledWith("name desc");
});

test("nothing is said where there is nothing, and nothing while it is asked for", async () => {
  const empty = <p>nothing here</p>;
  const more = { has: false, loading: false, load: () => {} };
  await drawn(<Table label="things" columns={COLUMNS} rows={[]} keyOf={keyOf} empty={empty} more={more} />);
  expect(screen.getByText("nothing here").closest("[role=grid]")).toBeNull();
  cleanup();
  await drawn(
    <Table
      label="things"
      columns={COLUMNS}
      rows={[]}
      keyOf={keyOf}
      empty={empty}
      more={{ ...more, loading: true }}
    />,
  );
  expect(screen.queryByText("nothing here")).toBeNull();
});

test("near its end more is asked for, once", async () => {
  const load = vi.fn();
  const more = { has: true, loading: false, load };
  await drawn(<Table label="things" columns={COLUMNS} rows={ROWS} keyOf={keyOf} more={more} />);
  expect(load).toHaveBeenCalledTimes(1);
});

test("a page that has nothing is no end: the next one is asked for, and nothing is called empty", async () => {
  const load = vi.fn();
  const more = { has: true, loading: false, load };
  await drawn(
    <Table
      label="things"
      columns={COLUMNS}
      rows={[]}
      keyOf={keyOf}
      empty={<p>nothing here</p>}
      more={more}
    />,
  );
  expect(load).toHaveBeenCalled();
  expect(screen.queryByText("nothing here")).toBeNull();
});

test("rows are chosen by keys and boxes, one by one and up to here", async () => {
  await drawn(<Chosen />);
  await userEvent.keyboard("jxjjX");
  expect(boxes()).toEqual(["a", "b", "c"]);
  await userEvent.click(screen.getByLabelText("choose b"));
  expect(boxes()).toEqual(["a", "c"]);
  expect((screen.getByLabelText("choose all that are shown") as HTMLInputElement).indeterminate).toBe(true);
  await userEvent.click(screen.getByLabelText("choose all that are shown"));
  expect(boxes()).toEqual(["a", "b", "c"]);
});

const boxes = () =>
  screen
    .getAllByRole("checkbox", { checked: true })
    .map((box) => box.getAttribute("aria-label")?.replace("choose ", ""))
    .filter((name) => name !== "all that are shown");

function Chosen() {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState("");
  const order = ROWS.map(keyOf);
  return (
    <Table
      label="things"
      columns={COLUMNS}
      rows={ROWS}
      keyOf={keyOf}
      selection={{
        keys,
        nameOf: keyOf,
        all: (wanted) => setKeys(new Set(wanted ? order : [])),
        toggle: (key, stretch) => {
          setKeys(toggled(keys, order, key, stretch ? last : null));
          setLast(key);
        },
      }}
    />
  );
}
