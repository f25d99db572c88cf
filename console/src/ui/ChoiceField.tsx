// One of a few; apart from Field.tsx as TextField.tsx is.
import { Select } from "@mantine/core";
import { type FieldProps, shared } from "./fieldProps";

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
