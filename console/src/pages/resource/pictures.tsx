// Kinds that have a picture of their own, above their fields. A kind without one has its fields: it needs no line here.
import { type ComponentType, type LazyExoticComponent, Suspense } from "react";
import { lateComponent } from "@/ui/late";
import type { Shown } from "../Resource";
import "./pictures/pictures.css";

const PICTURES: Record<string, LazyExoticComponent<ComponentType<Shown>>> = {
  dns_zone: lateComponent(() => import("./pictures/Zone")),
  scaling_group: lateComponent(() => import("./pictures/Group")),
};

export function Picture(shown: Shown) {
  const Drawn = PICTURES[shown.kind.name];
  if (!Drawn) return null;
  return (
    <Suspense fallback={<p className="faint">one moment …</p>}>
      <Drawn {...shown} />
    </Suspense>
  );
}
