// People of the organization: how their membership stands, and the roles it gives them.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link2 } from "lucide-react";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { base } from "@/api/kinds";
import { type Member, membersQuery } from "@/api/people";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Problem } from "@/ui/Problem";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge } from "@/ui/StateBadge";
import { useProven } from "@/ui/StepUp";
import { given } from "./given";
import { type Invitation, InvitationLink } from "./InvitationLink";

const STATES = {
  accepted: { symbol: "=", tone: "green" },
  invited: { symbol: "…", tone: "blue" },
  disabled: { symbol: "✗", tone: "gray" },
} as const;

export function Members({ edit }: { edit: (name: string) => void }) {
  const { organization = "" } = useScope();
  const query = useInfiniteQuery(membersQuery(organization));
  const members = query.data?.pages.flatMap((page) => page.items) ?? [];
  const [link, setLink] = useState<Invitation>();
  const { send, dialog } = useProven();
  const invite = useMutation({
    mutationFn: (name: string) =>
      send<Invitation>("POST", `${base({ organization })}/memberships/${encodeURIComponent(name)}:invite`),
    onSuccess: setLink,
  });
  if (query.isSuccess && members.length === 0)
    return (
      <Empty
        title="Nobody was invited yet"
        action={<Button onClick={() => edit("new")}>Give somebody access</Button>}
        command="setpoint member add bob@example.org --role operator"
      >
        A membership gives a person roles here, once they accepted the invitation. Whoever runs the
        installation needs none.
      </Empty>
    );
  return (
    <div className="stack">
      <QueryProblem query={query} />
      <Problem error={invite.error} />
      <ul className="access-people" aria-label="members">
        {members.map((member) => (
          <Line
            key={member.name}
            member={member}
            edit={() => edit(member.name)}
            invite={() => invite.mutate(member.name)}
          />
        ))}
      </ul>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {members.length} shown, load more
        </Button>
      )}
      {link && <InvitationLink made={link} close={() => setLink(undefined)} />}
      {dialog}
    </div>
  );
}

function Line({ member, edit, invite }: { member: Member; edit: () => void; invite: () => void }) {
  const { organization } = useScope();
  const state = STATES[member.state];
  const cannotEdit = useWhyNot("update", "organization.membership", { organization }, member.name);
  const cannotInvite = useWhyNot("create", "organization.membership_invite", { organization }, member.name);
  return (
    <li className="card">
      <div className="grow">
        <div className="row wrap">
          <strong className="cut">{member.email}</strong>
          <Badge symbol={state.symbol} tone={state.tone} word={member.state} />
          {member.accepted_at && (
            <span className="faint">
              since <Ago at={member.accepted_at} />
            </span>
          )}
        </div>
        <div className="row wrap">
          {member.roles.length === 0 && <span className="faint">no role: may do nothing</span>}
          {member.roles.map((each) => (
            <span key={given(each)} className="chip">
              {given(each)}
            </span>
          ))}
        </div>
      </div>
      <div className="row">
        {member.state === "invited" && (
          <Button icon={<Link2 size={14} aria-hidden />} whyNot={cannotInvite} onClick={invite}>
            New link
          </Button>
        )}
        <Button whyNot={cannotEdit} onClick={edit} label={`change the roles of ${member.email}`}>
          Change
        </Button>
      </div>
    </li>
  );
}
