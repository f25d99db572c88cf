import { Link } from "@tanstack/react-router";
import { Empty } from "@/ui/Empty";

export function Missing() {
  return (
    <Empty
      title="There is no page here"
      action={<Link to={"/now" as never}>Go to Now</Link>}
      command="setpoint get all"
    >
      {location.pathname} is not a page of the console.
    </Empty>
  );
}
