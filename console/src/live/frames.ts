// Server-sent events out of bytes. Pure: text goes in, whole frames and the unfinished rest come out.
export interface Frame {
  id: string;
  data: string;
}

export function frames(text: string): { found: Frame[]; rest: string } {
  const parts = text.split("\n\n");
  const rest = parts.pop() ?? "";
  return { found: parts.map(frame), rest };
}

function frame(part: string): Frame {
  const found: Frame = { id: "", data: "" };
  for (const line of part.split("\n")) {
    if (line.startsWith("id: ")) found.id = line.slice(4);
    if (line.startsWith("data: ")) found.data += line.slice(6);
  }
  return found;
}
