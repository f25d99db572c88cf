// Filters, order and columns under a name. The address itself is the view: send it, and others see the same.
import { Bookmark, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import type { Search } from "@/ui/address";
import { Button } from "@/ui/Button";
import { lateComponent } from "@/ui/late";
import { Popup } from "@/ui/Popup";
import { usePreference } from "@/ui/preferences";
import { appliedOf, isShown, keptOf, viewsOf, withView } from "@/words/views";
import "./inventory.css";

const Naming = lateComponent(() => import("./Naming"));

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
        <div className="inventory-chooser">
          {views.length === 0 && <p className="inventory-flat faint">No view has a name yet.</p>}
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
          <p className="inventory-flat faint">
            Names are kept in this browser. The address holds the view itself.
          </p>
        </div>
      </Popup>
      {naming && (
        <Suspense fallback={null}>
          <Naming
            taken={views.map((view) => view.name)}
            close={() => setNaming(false)}
            keep={(name) => store(JSON.stringify(withView(views, { name, search: kept })))}
          />
        </Suspense>
      )}
    </>
  );
}
