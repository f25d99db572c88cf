// A name for what one looks at, kept in this browser.
import { useState } from "react";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";

export default function Naming({
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
