// Fields of forms: a label, a sentence, a mistake beside the field it is about.
import { Checkbox, NumberInput, TagsInput, Textarea } from "@mantine/core";
import { type FieldProps, shared } from "./fieldProps";

export { ChoiceField } from "./ChoiceField";
export { TextField } from "./TextField";

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
