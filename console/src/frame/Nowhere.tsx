// The first page of a new installation: no organization is declared yet, so there is nothing any page could show.
import { Link } from "@tanstack/react-router";
import { Empty } from "@/ui/Empty";

export function Nowhere() {
  return (
    <div className="page">
      <Empty
        level={1}
        title="Nothing is declared yet"
        action={
          <Link
            className="button-link"
            to={"/declare/$kind" as never}
            params={{ kind: "organization" } as never}
          >
            Declare an organization
          </Link>
        }
        command="setpoint apply -f shop.yaml"
      >
        Everything lives in an organization: its projects, its people and what they declare. As soon as there
        is one, this page shows it.
      </Empty>
    </div>
  );
}
