// Which columns are shown: those of every kind, those of its schema, and what was seen of it. Kept in the address.
import { Columns3 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Popup } from "@/ui/Popup";
import { type Choosable, changed } from "@/words/columns";
import "./inventory.css";

export function Columns({
  all,
  shown,
  chosen,
  choose,
}: {
  all: Choosable[];
  shown: string[];
  chosen: string;
  choose: (columns: string) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <Popup
      open={open}
      close={() => setOpen(false)}
      label="columns"
      target={
        <Button icon={<Columns3 size={14} aria-hidden />} expanded={open} onClick={() => setOpen(!open)}>
          Columns
        </Button>
      }
    >
      <div className="inventory-chooser">
        {all.map((each) => (
          <label key={each.key}>
            <input
              type="checkbox"
              aria-label={each.title}
              checked={shown.includes(each.key)}
              onChange={() => choose(changed(shown, all, each.key))}
            />
            <span>
              {each.title}
              {each.about && <span className="faint">{each.about}</span>}
            </span>
          </label>
        ))}
        <Button look="quiet" whyNot={chosen ? "" : "these are the usual ones"} onClick={() => choose("")}>
          The usual ones
        </Button>
      </div>
    </Popup>
  );
}
