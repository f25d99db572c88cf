// Filters, order and columns under a name. The address itself is the view: send it, and others see the same.
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Search } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Popup } from "@/ui/Popup";
import { usePreference } from "@/ui/preferences";
import { appliedOf, isShown, keptOf, viewsOf, withView } from "@/words/views";
import "./inventory.css";

export function Views({ search, set }: { search: Search; set: (values: Search) => void }) {
  const [stored, store] = usePreference("views", "[]");
  const [open, setOpen] = useState(false);
  const [naming, setNaming] = useState(false);
  const views = viewsOf(stored);
  const kept = keptOf(search);
  return (
    <>
      <Popup
        open={open}
        close={() => setOpen(false)}
        label="views"
        target={
          <Button icon={<Bookmark size={14} aria-hidden />} expanded={open} onClick={() => setOpen(!open)}>
            {views.find((view) => isShown(view, search))?.name ?? "Views"}
          </Button>
        }
      >
        <div className="chooser">
          {views.length === 0 && <p className="flat faint">No view has a name yet.</p>}
          {views.map((view) => (
            <div className="row" key={view.name}>
              <button
                type="button"
                className="link grow"
                aria-pressed={isShown(view, search)}
                onClick={() => {
                  set(appliedOf(view));
                  setOpen(false);
                }}
              >
                {view.name}
              </button>
              <button
                type="button"
                className="link"
                aria-label={`forget ${view.name}`}
                onClick={() => store(JSON.stringify(views.filter((each) => each.name !== view.name)))}
              >
                <Trash2 size={14} aria-hidden />
              </button>
            </div>
          ))}
          <Button
            whyNot={Object.keys(kept).length ? "" : "choose a filter, an order or columns first"}
            onClick={() => {
              setOpen(false);
              setNaming(true);
            }}
          >
            Name this view …
          </Button>
          <p className="flat faint">Names are kept in this browser. The address holds the view itself.</p>
        </div>
      </Popup>
      {naming && (
        <Naming
          taken={views.map((view) => view.name)}
          close={() => setNaming(false)}
          keep={(name) => store(JSON.stringify(withView(views, { name, search: kept })))}
        />
      )}
    </>
  );
}

function Naming({
  taken,
  keep,
  close,
}: {
  taken: string[];
  keep: (name: string) => void;
  close: () => void;
}) {
  const [name, setName] = useState("");
  return (
    <Dialog
      open
      title="Name this view"
      does={taken.includes(name.trim()) ? "Replace it" : "Keep it"}
      close={close}
      whyNot={name.trim() ? "" : "give it a name"}
      submit={() => {
        keep(name.trim());
        close();
      }}
    >
      <TextField
        label="name"
        about="Kept in this browser, for you. To share it, send the address of the page."
        required
        focus
        value={name}
        change={setName}
      />
    </Dialog>
  );
}
