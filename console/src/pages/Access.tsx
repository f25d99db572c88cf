// Who may do what: people and the roles they have, roles as a matrix, and the questions about both.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useWhyNot } from "@/api/access";
import { membersQuery, rolesQuery } from "@/api/people";
import { useEvents } from "@/live/live";
import { useScope } from "@/scope/useScope";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { useKeys } from "@/ui/keys";
import { Tabs } from "@/ui/Tabs";
import { MemberForm } from "./access/MemberForm";
import { Members } from "./access/Members";
import { Roles } from "./access/Roles";
import { WhoCan } from "./access/WhoCan";
import "./access/access.css";

export default function Access() {
  const { organization = "" } = useScope();
  const members = useInfiniteQuery(membersQuery(organization));
  const known = members.data?.pages.reduce((sum, page) => sum + page.items.length, 0);
  const roles = useQuery(rolesQuery(organization)).data;
  const [editing, edit] = useParam("member");
  const whyNot = useWhyNot("create", "organization.membership", { organization });
  useFollow();
  useKeys("access", [{ keys: "n", says: "give somebody access", do: () => !whyNot && edit("new") }]);
  return (
    <div className="page access">
      <header>
        <h1>Access</h1>
        <span className="grow faint">who may do what in {organization || "no organization"}</span>
        <Button
          look="main"
          icon={<UserPlus size={14} aria-hidden />}
          whyNot={whyNot}
          keys="n"
          onClick={() => edit("new")}
        >
          Give access
        </Button>
      </header>
      <Tabs
        tabs={[
          {
            key: "members",
            title: "Members",
            count: members.hasNextPage ? undefined : known,
            show: () => <Members edit={edit} />,
          },
          { key: "roles", title: "Roles", count: roles?.length, show: () => <Roles /> },
          { key: "who-can", title: "Who can …?", show: () => <WhoCan /> },
        ]}
      />
      {editing && <MemberForm key={editing} name={editing} close={() => edit("")} />}
    </div>
  );
}

/** Roles and memberships are declared like anything else, so events tell of them. */
function useFollow(): void {
  const client = useQueryClient();
  useEvents(({ ref }) => {
    if (ref.startsWith("membership/")) void client.invalidateQueries({ queryKey: ["members"] });
    if (ref.startsWith("role/")) void client.invalidateQueries({ queryKey: ["roles"] });
  });
}
