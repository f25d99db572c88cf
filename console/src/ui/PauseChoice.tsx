// How much a pause stops, in the words of the mode switch.
import type { Mode } from "@/api/shapes";
import { MODES } from "@/words/state";
import { ChoiceField } from "./ChoiceField";

const PAUSES: Mode[] = ["stop", "observe", "no-deletes"];

export function PauseChoice({ mode, change }: { mode: Mode; change: (mode: Mode) => void }) {
  return (
    <ChoiceField
      label="how much"
      required
      value={mode}
      change={(value) => change(value as Mode)}
      choices={PAUSES.map((each) => ({ value: each, label: `${MODES[each].word}: ${MODES[each].says}` }))}
    />
  );
}
