// Plan review, and after a yes the same page shows how far it is.
import { useParams } from "@tanstack/react-router";
import { Review } from "./plan/Review";

export default function Plan() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  return (
    <div className="page">
      <Review id={id} page />
    </div>
  );
}
