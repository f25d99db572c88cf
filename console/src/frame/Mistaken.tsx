// A page that broke while it was drawn: the frame stays, and other pages can be opened.
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Problem } from "@/ui/Problem";

export function Mistaken({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <Problem error={error} again={reset} />
    </div>
  );
}
