// Why something is as it is, in one sentence, with since when; refs in it are links to the thing at fault.
import type { Status } from "@/api/shapes";
import { Ago } from "./Ago";

export function Reason({ status, since = true }: { status: Status; since?: boolean }) {
  return (
    <span className="reason" title={status.reason}>
      {status.reason || "not observed yet"}
      {since && status.since && (
        <span className="faint">
          {" · "}
          <Ago at={status.since} />
        </span>
      )}
    </span>
  );
}
