import { cleanup, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import type { Kind, Mistake } from "@/api/shapes";
import { fieldsOf, specOf, type Typed } from "@/words/form";
import { drawn } from "./drawn";
import { SchemaForm } from "./SchemaForm";

afterEach(cleanup);

const KIND = {
  name: "lamp",
  plural: "lamps",
  level: "project",
  schema: {
    $ref: "#/$defs/Lamp",
    $defs: {
      Lamp: {
        required: ["colour"],
        properties: {
          watts: { type: "integer", minimum: 1, description: "How bright it is.", default: 60 },
          colour: { enum: ["red", "white"] },
          dimmed: { type: "boolean", default: false },
          rooms: { type: "array", items: { type: "string" } },
          wiring: { type: "object" },
          note: { anyOf: [{ type: "null" }, { type: "string" }] },
        },
      },
    },
  },
} as unknown as Kind;
const FIELDS = fieldsOf(KIND, [KIND]);

function Form({ mistakes }: { mistakes?: Mistake[] }) {
  const [typed, change] = useState<Typed>({});
  return (
    <>
      <SchemaForm fields={FIELDS} typed={typed} change={change} mistakes={mistakes} scope={{}} />
      <pre data-testid="spec">{JSON.stringify(specOf(FIELDS, typed))}</pre>
    </>
  );
}

const typed = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const spec = () => JSON.parse(screen.getByTestId("spec").textContent ?? "");

test("a kind nobody knew has a form, what is required first, what is usual as a hint", async () => {
  await drawn(<Form />);
  expect(FIELDS[0]?.name).toBe("colour");
  expect(screen.getByText("How bright it is.")).toBeTruthy();
  expect(screen.getByPlaceholderText("60 if left empty")).toBeTruthy();
});

test("what is typed becomes the spec; what is left empty stays out of it", async () => {
  await drawn(<Form />);
  typed("watts", "40");
  fireEvent.click(screen.getByLabelText("dimmed"));
  typed("note", "by the door");
  await userEvent.type(screen.getByRole("combobox", { name: "rooms" }), "hall{Enter}");
  expect(spec()).toEqual({ watts: 40, dimmed: true, note: "by the door", rooms: ["hall"] });
});

test("what is not JSON yet says so, and is not sent", async () => {
  await drawn(<Form />);
  typed("wiring", "{");
  expect(screen.getByText(/not JSON yet/)).toBeTruthy();
  expect(spec()).toEqual({});
  typed("wiring", "{}");
  expect(screen.queryByText(/not JSON yet/)).toBeNull();
});

test("a mistake of the server stands at its field", async () => {
  const mistakes = [{ pointer: "/spec/watts", code: "too_small", message: "at least 1" }];
  await drawn(<Form mistakes={mistakes} />);
  expect(screen.getByText("at least 1")).toBeTruthy();
});
