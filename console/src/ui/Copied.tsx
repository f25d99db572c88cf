// A command or value that is copied with one press.
import { Check, Copy } from "lucide-react";
import { useState } from "react";

export function Copied({ text, block = false }: { text: string; block?: boolean }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <span className={block ? "copied copied-block" : "copied"}>
      {block ? <pre tabIndex={0}>{text}</pre> : <code>{text}</code>}
      <button
        type="button"
        className="link"
        aria-label={done ? "copied" : "copy"}
        onClick={() => void copy()}
      >
        {done ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </button>
    </span>
  );
}
