// A line of text, or a secret; apart from Field.tsx, so that a dialog that waits for nothing need not bring all fields.
import { PasswordInput, TextInput } from "@mantine/core";
import { type FieldProps, shared } from "./fieldProps";

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
