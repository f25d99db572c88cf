// Nothing here yet: what belongs here, one button and one command.
import type { ReactNode } from "react";
import { Copied } from "./Copied";

export function Empty({
  title,
  children,
  action,
  command,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  command?: string;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
      {command && <Copied text={command} />}
    </div>
  );
}
