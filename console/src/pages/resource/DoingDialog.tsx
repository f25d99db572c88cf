// The dialog of each action: its words, its reason, what it would do, and the same as a command.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Entity, Json, Mode } from "@/api/shapes";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { PauseChoice } from "@/ui/PauseChoice";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { type Deed, quoted } from "@/words/deed";
import type { Shown } from "../Resource";
import { Preview, usePreview } from "./Preview";

export type Doing = "pause" | "protect" | "unprotect" | "release" | "adopt" | "delete";

const WORDS: Record<Doing, { title: string; does: string; says: string }> = {
  pause: {
    title: "Pause",
    does: "Pause it",
    says: "Nothing is done to it while it is paused; everything else goes on.",
  },
  protect: {
    title: "Protect",
    does: "Protect it",
    says: "No path deletes it until somebody takes the protection off.",
  },
  unprotect: { title: "Unprotect", does: "Take it off", says: "It can be deleted again." },
  release: {
    title: "Try anew",
    does: "Try anew",
    says: "What is contested or keeps failing is tried again at once.",
  },
  adopt: {
    title: "Adopt",
    does: "Adopt all of it",
    says: "What is ours by its mark and newer than our database is declared as it is.",
  },
  delete: {
    title: "Delete",
    does: "Delete it",
    says: "It is taken away at the provider, and leaves this list when it is confirmed gone.",
  },
};

export function DoingDialog({ doing, shown, close }: { doing: Doing; shown: Shown; close: () => void }) {
  const { entity, path } = shown;
  const { name } = entity.metadata;
  const [reason, setReason] = useState("");
  const [mode, setMode] = useState<Mode>("stop");
  const [typed, setTyped] = useState("");
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const deed = deedOf(doing, { path, entity, reason, mode });
  const act = useMutation({
    mutationFn: () =>
      send(deed.method, deed.path, {
        body: deed.body,
        headers: deed.method === "PATCH" ? { "Content-Type": "application/merge-patch+json" } : undefined,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["entity", path] });
      await client.invalidateQueries({ queryKey: ["switches"] });
      close();
    },
  });
  const reasoned = doing === "pause" || doing === "release";
  const whyNot =
    reasoned && !reason.trim()
      ? "say why: everybody reads it"
      : doing === "delete" && typed !== name
        ? `type ${name} to go on`
        : "";
  return (
    <>
      <Dialog
        open
        wide={doing === "delete"}
        title={`${WORDS[doing].title} ${name}`}
        does={WORDS[doing].does}
        danger={doing === "delete"}
        close={close}
        submit={() => act.mutate()}
        busy={act.isPending}
        error={act.error}
        whyNot={whyNot}
      >
        <p style={{ margin: 0 }}>{WORDS[doing].says}</p>
        {doing === "pause" && <PauseChoice mode={mode} change={setMode} />}
        {reasoned && <TextField label="why" required focus value={reason} change={setReason} />}
        {doing === "delete" && (
          <>
            <DeletePreview path={path} entity={entity} />
            <TextField label={`type ${name}`} required focus value={typed} change={setTyped} />
          </>
        )}
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}

function DeletePreview({ path, entity }: { path: string; entity: Entity }) {
  const organization = entity.metadata.organization ?? entity.metadata.name;
  return <Preview found={usePreview({ method: "DELETE", path, organization })} />;
}

interface About {
  path: string;
  entity: Entity;
  reason: string;
  mode: Mode;
}

function deedOf(doing: Doing, { path, entity, reason, mode }: About): Deed {
  const what = `${entity.kind} ${entity.metadata.name}`;
  const why = `--reason ${quoted(reason || "…")}`;
  const patch = (protect: boolean): Deed => {
    const body: Json = { metadata: { protected: protect } };
    const manifest: Json = {
      kind: entity.kind,
      metadata: { name: entity.metadata.name, protected: protect },
      spec: entity.spec,
    };
    return {
      method: "PATCH",
      path,
      body,
      manifest,
      command: `setpoint apply -f ${entity.metadata.name}.yaml`,
    };
  };
  switch (doing) {
    case "pause":
      return {
        method: "POST",
        path: `${path}:pause`,
        body: { mode, reason },
        command: `setpoint pause ${what} --mode ${mode} ${why}`,
      };
    case "protect":
      return patch(true);
    case "unprotect":
      return patch(false);
    case "release":
      return {
        method: "POST",
        path: `${path}:release`,
        body: { reason },
        command: `setpoint release ${what} ${why}`,
      };
    case "adopt":
      return {
        method: "POST",
        path: `${path}:adopt`,
        body: {},
        command: `setpoint adopt ${what}`,
      };
    case "delete":
      return { method: "DELETE", path, command: `setpoint delete ${what}` };
  }
}
