// The fields of a kind's spec as a form, from its schema: a new kind has one without a line of ours.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionPath, titled, useKind } from "@/api/kinds";
import { namesQuery } from "@/api/names";
import type { Json, Mistake } from "@/api/shapes";
import type { Scope } from "@/scope/scope";
import { type FormField, mistakeAt, type Typed } from "@/words/form";
import { CheckField, ChoiceField, ListField, LongField, NumberField, TextField } from "./Field";

export function SchemaForm({
  fields,
  typed,
  change,
  mistakes,
  scope,
}: {
  fields: FormField[];
  typed: Typed;
  change: (typed: Typed) => void;
  mistakes: Mistake[] | undefined;
  scope: Scope;
}) {
  return fields.map((field) => (
    <One
      key={field.name}
      field={field}
      scope={scope}
      value={typed[field.name]}
      set={(value) => change({ ...typed, [field.name]: value })}
      mistake={mistakeAt(mistakes, `/spec/${field.name}`)}
    />
  ));
}

interface OneProps {
  field: FormField;
  value: Json | undefined;
  set: (value: Json | undefined) => void;
  mistake?: string;
  scope: Scope;
}

function One(props: OneProps) {
  const { field, value, set, mistake } = props;
  const hint =
    field.usual === undefined || field.usual === "" ? undefined : `${text(field.usual)} if left empty`;
  const shared = { label: titled(field.name), about: field.about, required: field.required, mistake, hint };
  const choices = field.choices.map((each) => ({ value: each, label: each }));
  switch (field.sort) {
    case "truth":
      return <CheckField {...shared} value={Boolean(value ?? field.usual)} change={set} />;
    case "number":
      return (
        <NumberField
          {...shared}
          min={field.min}
          max={field.max}
          value={value as number | undefined}
          change={set}
        />
      );
    case "choice":
      return <ChoiceField {...shared} choices={choices} value={text(value)} change={set} />;
    case "list":
      return <ListField {...shared} value={(value as string[] | undefined) ?? []} change={set} />;
    case "json":
      return <JsonField {...shared} value={value} set={set} />;
    default:
      return field.names ? (
        <NameField {...props} shared={shared} />
      ) : (
        <TextField {...shared} value={text(value)} change={set} />
      );
  }
}

/** The name of another object, chosen from those there are; another one can still be typed. */
function NameField({
  field,
  value,
  set,
  scope,
  shared,
}: OneProps & { shared: Omit<Parameters<typeof ChoiceField>[0], "value" | "change" | "choices"> }) {
  const kind = useKind(field.names);
  const path = kind ? collectionPath(kind, scope) : "";
  const { data } = useQuery(namesQuery(path));
  if (!data?.length) return <TextField {...shared} value={text(value)} change={set} />;
  const known = [...new Set([...data, ...(value ? [text(value)] : [])])];
  return (
    <ChoiceField
      {...shared}
      search
      choices={known.map((each) => ({ value: each, label: each }))}
      value={text(value)}
      change={set}
    />
  );
}

function JsonField({
  value,
  set,
  ...shared
}: Omit<Parameters<typeof LongField>[0], "value" | "change"> & {
  value: Json | undefined;
  set: (value: Json | undefined) => void;
}) {
  const [typed, setTyped] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [broken, setBroken] = useState("");
  const change = (next: string) => {
    setTyped(next);
    try {
      set(next.trim() ? (JSON.parse(next) as Json) : undefined);
      setBroken("");
    } catch (error) {
      setBroken(`not JSON yet: ${(error as Error).message}`);
    }
  };
  return (
    <LongField
      {...shared}
      mono
      rows={4}
      about={`${shared.about ?? ""} As JSON.`}
      mistake={broken || shared.mistake}
      value={typed}
      change={change}
    />
  );
}

const text = (value: Json | undefined) =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
