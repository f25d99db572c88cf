// Where no page has anything to show: no organization is declared yet, or the address names one that is not there.
import { Link } from "@tanstack/react-router";
import { useScope } from "@/scope/useScope";
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

export function Unknown() {
  const { organization } = useScope();
  return (
    <div className="page" role="alert">
      <Empty
        level={1}
        title={`There is no organization ${organization}`}
        action={<Link to={"/now" as never}>Go to the organizations there are</Link>}
        command="setpoint get organization"
      >
        Or you may not see it. The address of this page names it; nothing is known about it here.
      </Empty>
    </div>
  );
}
