// What all fields of forms have in common.
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

/** What every one of them hands to Mantine. */
export const shared = <T>({ label, about, mistake, required, focus, hint, whyNot }: FieldProps<T>) => ({
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
