// Fields of forms: a label, a sentence, a mistake beside the field it is about.
import { Checkbox, NumberInput, PasswordInput, Select, TagsInput, Textarea, TextInput } from "@mantine/core";

export interface FieldProps<T> {
  label: string;
  value: T;
  change: (value: T) => void;
  about?: string;
  mistake?: string;
  required?: boolean;
  focus?: boolean;
  hint?: string;
  whyNot?: string | null;
}

const shared = <T,>({ label, about, mistake, required, focus, hint, whyNot }: FieldProps<T>) => ({
  label,
  description: whyNot || about,
  error: mistake,
  required,
  withAsterisk: required,
  "data-autofocus": focus || undefined,
  placeholder: hint,
  disabled: Boolean(whyNot),
  size: "xs" as const,
});

export function TextField(
  props: FieldProps<string> & { secret?: boolean; autoComplete?: string; type?: string },
) {
  const Input = props.secret ? PasswordInput : TextInput;
  return (
    <Input
      {...shared(props)}
      type={props.secret ? undefined : props.type}
      autoComplete={props.autoComplete ?? "off"}
      value={props.value}
      onChange={(event) => props.change(event.currentTarget.value)}
    />
  );
}

export function LongField(props: FieldProps<string> & { rows?: number; mono?: boolean }) {
  return (
    <Textarea
      {...shared(props)}
      autosize={false}
      rows={props.rows ?? 3}
      className={props.mono ? "mono-field" : undefined}
      value={props.value}
      onChange={(event) => props.change(event.currentTarget.value)}
    />
  );
}

export function NumberField(props: FieldProps<number | undefined> & { min?: number; max?: number }) {
  return (
    <NumberInput
      {...shared(props)}
      min={props.min}
      max={props.max}
      value={props.value ?? ""}
      onChange={(value) => props.change(value === "" ? undefined : Number(value))}
    />
  );
}

export function ChoiceField(
  props: FieldProps<string> & { choices: { value: string; label: string }[]; search?: boolean },
) {
  return (
    <Select
      {...shared(props)}
      data={props.choices}
      searchable={props.search}
      allowDeselect={!props.required}
      comboboxProps={{ withinPortal: true, transitionProps: { duration: 0 } }}
      value={props.value || null}
      onChange={(value) => props.change(value ?? "")}
    />
  );
}

export function ListField(props: FieldProps<string[]>) {
  return (
    <TagsInput
      {...shared(props)}
      value={props.value}
      onChange={props.change}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

export function CheckField(props: FieldProps<boolean>) {
  const { placeholder: _, withAsterisk: __, ...rest } = shared(props);
  return (
    <Checkbox
      {...rest}
      checked={props.value}
      onChange={(event) => props.change(event.currentTarget.checked)}
    />
  );
}
