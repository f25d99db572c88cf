// How much may be done through an account: looking, making, or everything the guards allow.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { base } from "@/api/kinds";
import { send } from "@/api/request";
import type { Entity, Mode } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Dialog } from "@/ui/Dialog";
import { ShowAs } from "@/ui/ShowAs";
import type { Deed } from "@/words/deed";
import { MODES } from "@/words/state";

const CHOICES: Mode[] = ["observe", "no-deletes", "run"];

export function ModeForm({ provider, mode, close }: { provider: Entity; mode: Mode; close: () => void }) {
  const { organization = "" } = useScope();
  const [wanted, setWanted] = useState<Mode>(mode);
  const client = useQueryClient();
  const { name } = provider.metadata;
  const deed: Deed = {
    method: "PATCH",
    path: `${base({ organization })}/providers/${encodeURIComponent(name)}`,
    body: { spec: { mode: wanted } },
    command: `setpoint export -O ${organization} > all.yaml   # set mode: ${wanted} of ${name}, then\nsetpoint apply -f all.yaml`,
    manifest: {
      kind: "provider",
      metadata: { organization, name },
      spec: { ...provider.spec, mode: wanted },
    },
  };
  const save = useMutation({
    mutationFn: () =>
      send("PATCH", deed.path, {
        body: deed.body,
        headers: { "Content-Type": "application/merge-patch+json" },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["inventory"] });
      close();
    },
  });
  return (
    <Dialog
      open
      title={`What may be done through ${name}`}
      close={close}
      does="Save"
      submit={() => save.mutate()}
      busy={save.isPending}
      error={save.error}
      whyNot={wanted === mode ? "this is its mode already" : ""}
    >
      <fieldset className="modes">
        <legend>mode</legend>
        {CHOICES.map((each) => (
          <label key={each} className={`tone-${MODES[each].tone}`}>
            <input type="radio" name="mode" checked={each === wanted} onChange={() => setWanted(each)} />
            <strong>{MODES[each].word}</strong> <span className="faint">{MODES[each].says}</span>
          </label>
        ))}
      </fieldset>
      <ShowAs deed={deed} />
    </Dialog>
  );
}
