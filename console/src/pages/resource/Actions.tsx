// What a person can do to it, beside its tabs: look now, pause, protect, release, adopt, delete.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Eye, Link2, PauseCircle, PlayCircle, RotateCcw, Shield, ShieldOff, Trash2 } from "lucide-react";
import { useState } from "react";
import { keyOf, useWhyNot } from "@/api/access";
import { send } from "@/api/request";
import { useSwitches } from "@/api/switches";
import { Button } from "@/ui/Button";
import { useKeys } from "@/ui/keys";
import { Problem } from "@/ui/Problem";
import { MODES } from "@/words/state";
import type { Shown } from "../Resource";
import { type Doing, DoingDialog } from "./DoingDialog";

export function Actions(shown: Shown) {
  const { kind, entity, path } = shown;
  const { metadata } = entity;
  const [doing, setDoing] = useState<Doing | "">("");
  const client = useQueryClient();
  const lever = useSwitches().find((each) => each.key === `domain:${metadata.ref}`);
  const may = (verb: string, key = keyOf(kind)) => [verb, key, metadata, metadata.name] as const;
  const cannot = {
    execute: useWhyNot(...may("execute")),
    update: useWhyNot(...may("update")),
    delete: useWhyNot(...may("delete")),
    lever: useWhyNot(...may("execute", "organization.switch")),
  };
  const machine = kind.by_machine ? "it is written by a machine" : "";
  const refresh = () => void client.invalidateQueries({ queryKey: ["why", path] });
  const observe = useMutation({ mutationFn: () => send("POST", `${path}:observe`), onSuccess: refresh });
  const resume = useMutation({
    mutationFn: () => send("POST", `${path}:resume`),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["switches"] }),
  });
  const paused = lever && lever.mode !== "run";
  useKeys("act", [
    {
      keys: "p",
      says: paused ? "let it run again" : "pause it",
      do: () => (paused ? resume.mutate() : setDoing("pause")),
    },
    { keys: "o", says: "look at it now", do: () => observe.mutate() },
  ]);
  return (
    <aside className="actions" aria-label="actions">
      {paused && (
        <div className="held">
          <strong>
            {MODES[lever.mode].symbol} {MODES[lever.mode].is}
          </strong>{" "}
          by {lever.by}: {lever.reason}
        </div>
      )}
      <Button
        icon={<Eye size={14} aria-hidden />}
        busy={observe.isPending}
        whyNot={cannot.execute}
        onClick={() => observe.mutate()}
      >
        Look now
      </Button>
      {paused ? (
        <Button
          icon={<PlayCircle size={14} aria-hidden />}
          whyNot={cannot.lever}
          busy={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Run again
        </Button>
      ) : (
        <Button
          icon={<PauseCircle size={14} aria-hidden />}
          whyNot={cannot.lever}
          onClick={() => setDoing("pause")}
        >
          Pause
        </Button>
      )}
      <Button
        icon={metadata.protected ? <ShieldOff size={14} aria-hidden /> : <Shield size={14} aria-hidden />}
        whyNot={machine || cannot.update}
        onClick={() => setDoing(metadata.protected ? "unprotect" : "protect")}
      >
        {metadata.protected ? "Unprotect" : "Protect"}
      </Button>
      <Button
        icon={<RotateCcw size={14} aria-hidden />}
        whyNot={cannot.execute}
        onClick={() => setDoing("release")}
      >
        Try anew
      </Button>
      {kind.adopts && (
        <Button
          icon={<Link2 size={14} aria-hidden />}
          whyNot={cannot.execute}
          onClick={() => setDoing("adopt")}
        >
          Adopt
        </Button>
      )}
      <Button
        look="danger"
        icon={<Trash2 size={14} aria-hidden />}
        whyNot={metadata.protected ? "it is protected: unprotect it first" : cannot.delete}
        onClick={() => setDoing("delete")}
      >
        Delete
      </Button>
      <Problem error={observe.error ?? resume.error} />
      {doing && <DoingDialog doing={doing} shown={shown} close={() => setDoing("")} />}
    </aside>
  );
}
