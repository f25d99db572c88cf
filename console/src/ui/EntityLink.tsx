// An object's name, as a link to its page.
import { Link } from "@tanstack/react-router";
import { keepScope } from "@/scope/scope";
import { linkTo, type Named } from "@/words/link";

export function EntityLink({ entity, reach = true }: { entity: Named; reach?: boolean }) {
  const { to, params } = linkTo(entity);
  return (
    <Link to={to as never} params={params as never} search={keepScope} tabIndex={reach ? undefined : -1}>
      {entity.metadata.name}
    </Link>
  );
}
