import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { drawn } from "./drawn";
import { Menu } from "./Menu";
import { Popup } from "./Popup";

// Nothing has a size here, and Mantine wonders at panels that nothing in them can take the focus of.
vi.spyOn(console, "warn").mockImplementation(() => {});
afterEach(cleanup);

test("a menu is opened and answered by keys, and its button has the focus again", async () => {
  const go = vi.fn();
  const choices = [
    { label: "Here", do: () => {} },
    { label: "There", do: go },
  ];
  await drawn(<Menu choices={choices} target={<Button>Where</Button>} />);
  expect(screen.getByRole("button", { name: "Where" }).getAttribute("aria-haspopup")).toBe("menu");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  await screen.findByRole("menuitem", { name: "There" });
  expect(screen.getByRole("button", { name: "Where" }).getAttribute("aria-expanded")).toBe("true");
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  expect(go).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Where"));
});

test("a panel is opened by its button, stays while one chooses in it, and gives the focus back", async () => {
  await drawn(<Panel />);
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  const box = await screen.findByLabelText("size");
  await userEvent.click(box);
  expect((box as HTMLInputElement).checked).toBe(true);
  await userEvent.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByLabelText("size")).toBeNull());
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Columns"));
});

test("a dialog takes the focus, and gives it back where it was", async () => {
  await drawn(<Asked />);
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  await screen.findByRole("dialog", { name: "Really?" });
  await vi.waitFor(() => expect(screen.getByRole("dialog").contains(document.activeElement)).toBe(true));
  await userEvent.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement?.textContent).toBe("Ask");
});

test("the reason against a button is shown while it has the focus, and gone afterwards", async () => {
  await drawn(<Button whyNot="choose rows first">Delete</Button>);
  await userEvent.tab();
  await screen.findByRole("tooltip");
  await userEvent.tab();
  await vi.waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
});

function Panel() {
  const [open, setOpen] = useState(false);
  const target = (
    <Button expanded={open} onClick={() => setOpen(!open)}>
      Columns
    </Button>
  );
  return (
    <Popup open={open} close={() => setOpen(false)} label="columns" target={target}>
      <label>
        <input type="checkbox" /> size
      </label>
    </Popup>
  );
}

function Asked() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      <Dialog open={open} title="Really?" close={() => setOpen(false)} does="Yes">
        one moment
      </Dialog>
    </>
  );
}
