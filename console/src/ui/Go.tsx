// A button that leads to another page of the same scope.
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { keepScope } from "@/scope/scope";
import { Button } from "./Button";

export function Go({ to, children }: { to: string; children: ReactNode }) {
  const navigate = useNavigate();
  return (
    <Button look="main" onClick={() => void navigate({ to: to as never, search: keepScope })}>
      {children}
    </Button>
  );
}
