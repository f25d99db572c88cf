// A text as a picture that another device reads; where it is too long, nothing.
import { qrOf } from "@/words/qr";

const QUIET = 4;

export function QrCode({ text, says }: { text: string; says: string }) {
  const modules = qrOf(text);
  if (!modules) return null;
  const size = modules.length + 2 * QUIET;
  const path = modules
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      className="me-qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={says}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
