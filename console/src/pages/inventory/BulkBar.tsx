// What can be done to the rows that are chosen: each action shows first what it would reach.
import { Eye, PauseCircle, PlayCircle, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import type { Entity } from "@/api/shapes";
import { Button } from "@/ui/Button";
import { useKeys } from "@/ui/keys";
import { lateComponent } from "@/ui/late";
import { ACTIONS, type Action } from "@/words/bulk";
import "./inventory.css";

const BulkDialog = lateComponent(() => import("./BulkDialog"));

const ICONS = { observe: Eye, pause: PauseCircle, resume: PlayCircle, delete: Trash2 };

export function BulkBar({ chosen, clear }: { chosen: Entity[]; clear: () => void }) {
  const [action, setAction] = useState<Action | null>(null);
  // The dialog keeps what it is about: rows may leave the list while they are worked on.
  const [about, setAbout] = useState<Entity[]>([]);
  const begin = (next: Action) => {
    setAbout(chosen);
    setAction(next);
  };
  useKeys(
    "chosen",
    chosen.length ? [{ keys: "p", says: "pause those that are chosen", do: () => begin("pause") }] : [],
  );
  if (chosen.length === 0 && !action) return null;
  return (
    <div className="inventory-bulk" role="toolbar" aria-label="chosen rows">
      <strong role="status">{chosen.length} chosen</strong>
      {(Object.keys(ACTIONS) as Action[]).map((each) => {
        const Icon = ICONS[each];
        return (
          <Button
            key={each}
            look={each === "delete" ? "danger" : "plain"}
            icon={<Icon size={14} aria-hidden />}
            whyNot={chosen.length ? "" : "choose rows first"}
            onClick={() => begin(each)}
          >
            {ACTIONS[each].title} …
          </Button>
        );
      })}
      <Button look="quiet" keys="Escape" onClick={clear}>
        Choose none
      </Button>
      {action && (
        <Suspense fallback={null}>
          <BulkDialog
            action={action}
            rows={about}
            close={(all) => {
              setAction(null);
              if (all) clear();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
