// One action on several objects: each by the request that one alone would take. Pure.
import { entityPath } from "@/api/kinds";
import type { Entity, Kind, Mode } from "@/api/shapes";
import { type Deed, quoted } from "./deed";

export type Action = "observe" | "pause" | "resume" | "delete";

export const ACTIONS: Record<Action, { title: string; done: string; says: string }> = {
  observe: { title: "Look now", done: "looked at", says: "Each is looked at ahead of its turn." },
  pause: {
    title: "Pause",
    done: "paused",
    says: "Nothing is done to them while they are paused; everything else goes on.",
  },
  resume: { title: "Run again", done: "let run again", says: "Their differences are closed again." },
  delete: {
    title: "Delete",
    done: "deleted",
    says: "Each is planned and guarded as if it were deleted alone: what is too much at once is held for a person.",
  },
};

export function deedOf(action: Action, entity: Entity, kind: Kind, mode: Mode, reason: string): Deed {
  const path = entityPath(kind, entity.metadata);
  const what = `${entity.kind} ${entity.metadata.name}`;
  const why = `--reason ${quoted(reason || "WHY")}`;
  switch (action) {
    case "observe":
      return {
        method: "POST",
        path: `${path}:observe`,
        command: "# the command line has no word for this: see curl",
      };
    case "pause":
      return {
        method: "POST",
        path: `${path}:pause`,
        body: { mode, reason },
        command: `setpoint pause ${what} --mode ${mode} ${why}`,
      };
    case "resume":
      return { method: "POST", path: `${path}:resume`, command: `setpoint resume ${what}` };
    case "delete":
      return { method: "DELETE", path, command: `setpoint delete ${what}` };
  }
}
