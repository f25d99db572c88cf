// Where one is signed in; any of them ends with one press.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Session, sessionsQuery } from "@/api/credentials";
import { at, send } from "@/api/request";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Problem } from "@/ui/Problem";
import { Badge } from "@/ui/StateBadge";
import { deviceOf } from "./device";

export function Sessions() {
  const { data = [], error, refetch } = useQuery(sessionsQuery);
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string) => send("DELETE", at("/v1/me/sessions/{id}", { id })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <div className="stack">
      <Problem error={error} again={() => void refetch()} />
      <Problem error={end.error} />
      <ul className="me-entries" aria-label="sessions">
        {data.map((session) => (
          <Line key={session.id} session={session} end={() => end.mutate(session.id)} />
        ))}
      </ul>
    </div>
  );
}

function Line({ session, end }: { session: Session; end: () => void }) {
  return (
    <li className="card">
      <div className="grow">
        <div className="row wrap">
          <strong title={session.device}>{deviceOf(session.device)}</strong>
          <span className="faint">from {session.address || "an unknown address"}</span>
          {session.current && <Badge symbol="=" tone="green" word="this one" />}
        </div>
        <div className="faint">
          begun <Ago at={session.created_at} /> · last used <Ago at={session.seen_at} /> · ends{" "}
          <Ago at={session.expires_at} />
        </div>
      </div>
      <Button
        look="danger"
        label={`end the session of ${deviceOf(session.device)}`}
        writes
        whyNot={session.current ? "this is where you are: sign out in the menu at the top right" : ""}
        onClick={end}
      >
        End
      </Button>
    </li>
  );
}
