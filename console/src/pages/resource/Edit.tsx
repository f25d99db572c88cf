// Its spec as a form, with what would happen beside it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keyOf, useWhyNot } from "@/api/access";
import { useKinds } from "@/api/kinds";
import { save } from "@/api/save";
import type { Json } from "@/api/shapes";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Problem } from "@/ui/Problem";
import { SchemaForm } from "@/ui/SchemaForm";
import { ShowAs } from "@/ui/ShowAs";
import { declareDeed } from "@/words/declare";
import { fieldsOf, specOf, type Typed } from "@/words/form";
import type { Shown } from "../Resource";
import { Preview, usePreview } from "./Preview";

export function Edit({ kind, entity, path }: Shown) {
  const fields = fieldsOf(kind, useKinds());
  // What the form began with: an edit is laid on that, whatever the stream brings meanwhile.
  const [begun] = useState(entity);
  const [typed, setTyped] = useState<Typed>(() => ({ ...begun.spec }));
  const [, go] = useParam("tab", "summary");
  const client = useQueryClient();
  const { metadata } = begun;
  const spec = specOf(fields, typed, begun.spec);
  const wanted = { metadata: { labels: metadata.labels, protected: metadata.protected }, spec };
  const changed = JSON.stringify(spec) !== JSON.stringify(specOf(fields, begun.spec, begun.spec));
  const found = usePreview({
    method: "PUT",
    path,
    body: wanted as unknown as Json,
    organization: metadata.organization ?? metadata.name,
    wait: changed ? "" : "change something, and what it would do is shown here",
  });
  const forbidden = useWhyNot("update", keyOf(kind), metadata, metadata.name);
  const put = useMutation({
    mutationFn: () => save(path, wanted, metadata.generation),
    onSuccess: (saved) => {
      client.setQueryData(["entity", path], saved);
      void client.invalidateQueries({ queryKey: ["history", path] });
      go("summary");
    },
  });
  return (
    <form
      className="two"
      onSubmit={(event) => {
        event.preventDefault();
        if (!forbidden && changed) put.mutate();
      }}
    >
      <div className="stack">
        <SchemaForm
          fields={fields}
          typed={typed}
          change={setTyped}
          mistakes={found.mistakes}
          scope={metadata}
        />
        <Problem error={put.error} />
        <div className="row wrap">
          <Button
            type="submit"
            look="main"
            busy={put.isPending}
            whyNot={forbidden || (changed ? "" : "nothing is changed")}
          >
            Save
          </Button>
          <ShowAs deed={declareDeed(kind, { ...metadata, spec })} />
        </div>
      </div>
      <Preview found={found} />
    </form>
  );
}
