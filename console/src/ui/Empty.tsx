// Nothing here yet: what belongs here, one button and one command.
import type { ReactNode } from "react";
import { Copied } from "./Copied";

export function Empty({
  title,
  children,
  action,
  command,
  level = 2,
}: {
  title: string;
  children?: ReactNode;
  action: ReactNode;
  command: string;
  /** 1 where it is all that the page has to say. */
  level?: 1 | 2;
}) {
  const Title = `h${level}` as const;
  return (
    <div className="empty">
      <Title>{title}</Title>
      {children && <p>{children}</p>}
      {action}
      <Copied text={command} />
    </div>
  );
}
