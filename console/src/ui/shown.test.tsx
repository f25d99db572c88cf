// What is only shown: badges, moments, differences, the same thing done elsewhere, and the palette.
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { State } from "@/api/shapes";
import type { Deed } from "@/words/deed";
import { Ago } from "./Ago";
import { Button } from "./Button";
import { Diff } from "./Diff";
import { drawn } from "./drawn";
import { Empty } from "./Empty";
import { Palette } from "./Palette";
import { ShowAs } from "./ShowAs";
import { StateBadge } from "./StateBadge";

afterEach(cleanup);

test("a state is a word and a symbol, also one that is new to us", async () => {
  await drawn(
    <>
      <StateBadge state="HELD" />
      <StateBadge state={"MELTED" as State} />
    </>,
  );
  expect(screen.getByText("HELD").textContent).toBe("!HELD");
  expect(screen.getByText("MELTED").textContent).toBe("?MELTED");
});

test("a moment is relative, exact on hover, and never is a word", async () => {
  await drawn(
    <>
      <Ago at={new Date(Date.now() - 150_000).toISOString()} />
      <Ago at={null} />
    </>,
  );
  const shown = screen.getByText("2 min ago");
  await userEvent.hover(shown);
  expect(shown.getAttribute("title")).toMatch(/20\d\d/);
  expect(shown.getAttribute("datetime")).toMatch(/Z$/);
  expect(screen.getByText("never")).toBeTruthy();
});

test("what differs is shown, what is equal is folded, and what is new or gone has its sign", async () => {
  await drawn(<Diff before={{ size: "s", old: 1, same: true }} after={{ size: "l", new: 2, same: true }} />);
  const cells = screen.getAllByRole("row").map((row) => row.textContent);
  expect(cells.some((text) => text?.startsWith("~ size"))).toBe(true);
  expect(cells.some((text) => text?.startsWith("+ new"))).toBe(true);
  expect(cells.some((text) => text?.startsWith("- old"))).toBe(true);
  expect(screen.queryByText("= same")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "show 1 equal field" }));
  expect(screen.getByText("= same")).toBeTruthy();
});

test("no difference says so", async () => {
  await drawn(<Diff before={{ a: 1 }} after={{ a: 1 }} />);
  expect(screen.getByText("= no field differs")).toBeTruthy();
});

const DEED: Deed = {
  method: "POST",
  path: "/v1/x:pause",
  body: { reason: "it's late" },
  command: "setpoint pause host web-1",
};

test("a form is shown as a command, as curl, as Python; and says where no file can say it", async () => {
  await drawn(<ShowAs deed={DEED} />);
  const says = async (way: string) => {
    await userEvent.click(screen.getByRole("button", { name: way }));
    return document.querySelector("pre")?.textContent ?? "";
  };
  expect(await says("CLI")).toBe("setpoint pause host web-1");
  const curl = await says("curl");
  expect(curl).toContain("/v1/x:pause");
  expect(curl).toContain("'{\"reason\":\"it'\\''s late\"}'");
  expect(await says("Python")).toContain('method="POST"');
  expect(await says("YAML")).toContain("no file says it");
});

test("the same done to many shows the first of them, and how many more", async () => {
  const others = Array.from({ length: 30 }, (_, at) => ({ ...DEED, command: `setpoint pause host n-${at}` }));
  await drawn(<ShowAs deed={DEED} others={others} />);
  await userEvent.click(screen.getByRole("button", { name: "CLI" }));
  const said = document.querySelector("pre")?.textContent ?? "";
  expect(said.split("\n")).toHaveLength(21);
  expect(said).toContain("# and 11 more of the same");
});

test("a button that cannot be pressed says why, and does nothing", async () => {
  const press = vi.fn();
  await drawn(
    <Button whyNot="you lack the permission" onClick={press}>
      Delete
    </Button>,
  );
  const button = screen.getByRole("button", { name: "Delete" });
  await userEvent.click(button);
  expect(press).not.toHaveBeenCalled();
  expect(button.getAttribute("aria-disabled")).toBe("true");
  const says = document.getElementById(button.getAttribute("aria-describedby") ?? "");
  expect(says?.textContent).toBe("you lack the permission");
});

test("nothing here teaches one button and one command", async () => {
  await drawn(
    <Empty
      title="Nothing yet"
      command="setpoint apply shop.yaml"
      action={<Button>Declare a project</Button>}
    />,
  );
  expect(screen.getByRole("button", { name: "Declare a project" })).toBeTruthy();
  expect(screen.getByText("setpoint apply shop.yaml")).toBeTruthy();
});

const findNothing = () =>
  vi.stubGlobal("fetch", async () => Response.json({ items: [], next_page_token: "" }));

test("the palette goes where one types, by keys alone", async () => {
  findNothing();
  const close = vi.fn();
  await drawn(<Palette open close={close} />);
  await userEvent.type(await screen.findByRole("combobox"), "loops{Enter}");
  expect(close).toHaveBeenCalled();
  expect((await screen.findByText("/loops?scope=acme")).textContent).toBe("/loops?scope=acme");
});

test("the palette says when nothing is called so", async () => {
  findNothing();
  await drawn(<Palette open close={() => {}} />);
  await userEvent.type(await screen.findByRole("combobox"), "zzzz");
  expect(await screen.findByText("nothing is called so here")).toBeTruthy();
});
