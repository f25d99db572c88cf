// All of it as YAML or JSON; what was declared can be edited here, with what it would do beside it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { keyOf, useWhyNot } from "@/api/access";
import { save, type Wanted } from "@/api/save";
import type { Entity, Json } from "@/api/shapes";
import { useParam } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Copied } from "@/ui/Copied";
import { LongField } from "@/ui/Field";
import { yaml } from "@/ui/late";
import { Problem } from "@/ui/Problem";
import { ShowAs, useYaml } from "@/ui/ShowAs";
import { declareDeed } from "@/words/declare";
import type { Shown } from "../Resource";
import { Preview, usePreview } from "./Preview";

const WAYS = ["declared", "everything", "json"] as const;

export function Raw(shown: Shown) {
  const { kind, entity } = shown;
  const [way, setWay] = useParam("as", "declared");
  const everything = useYaml(way === "everything" ? (entity as unknown as Json) : undefined);
  return (
    <div className="stack">
      <div className="row" role="group" aria-label="as">
        {WAYS.map((each) => (
          <button
            key={each}
            type="button"
            className="facet"
            aria-pressed={each === way}
            onClick={() => setWay(each)}
          >
            {each === "json" ? "JSON" : each === "declared" ? "what is declared" : "everything"}
          </button>
        ))}
      </div>
      {way === "json" && <Copied text={JSON.stringify(entity, null, 2)} block />}
      {way === "everything" && <Copied text={everything} block />}
      {way === "declared" &&
        (kind.by_machine ? (
          <p className="faint">written by a machine: to be read, not edited</p>
        ) : (
          <Editor {...shown} />
        ))}
    </div>
  );
}

function Editor({ kind, entity, path }: Shown) {
  const [begun] = useState(entity);
  const first = useYaml(wantedOf(begun) as unknown as Json);
  const [text, setText] = useState<string>();
  const { wanted, broken } = useParsed(text ?? first);
  const [, go] = useParam("tab", "summary");
  const client = useQueryClient();
  const changed = text !== undefined && text !== first;
  const { metadata } = begun;
  const found = usePreview({
    method: "PUT",
    path,
    body: wanted as unknown as Json,
    organization: metadata.organization ?? metadata.name,
    wait: broken || (changed ? "" : "change something, and what it would do is shown here"),
  });
  const forbidden = useWhyNot("update", keyOf(kind), metadata, metadata.name);
  const put = useMutation({
    mutationFn: () => save(path, wanted as Wanted, metadata.generation),
    onSuccess: (saved) => {
      client.setQueryData(["entity", path], saved);
      void client.invalidateQueries({ queryKey: ["history", path] });
      go("summary");
    },
  });
  const whyNot = forbidden || broken || (changed ? "" : "nothing is changed");
  return (
    <form
      className="two"
      onSubmit={(event) => {
        event.preventDefault();
        if (!whyNot) put.mutate();
      }}
    >
      <div className="stack">
        <LongField label="YAML" mono rows={22} value={text ?? first} change={setText} mistake={broken} />
        <Problem error={put.error} />
        <div className="row wrap">
          <Button type="submit" look="main" busy={put.isPending} whyNot={whyNot}>
            Save
          </Button>
          {changed && (
            <Button look="quiet" onClick={() => setText(undefined)}>
              Undo all
            </Button>
          )}
          <ShowAs deed={declareDeed(kind, { ...metadata, spec: wanted?.spec ?? begun.spec })} />
        </div>
      </div>
      <Preview found={found} />
    </form>
  );
}

function wantedOf({ metadata, spec }: Entity): Wanted {
  return { metadata: { labels: metadata.labels, protected: metadata.protected }, spec };
}

function useParsed(text: string): { wanted: Wanted | undefined; broken: string } {
  const [found, setFound] = useState<{ wanted: Wanted | undefined; broken: string }>({
    wanted: undefined,
    broken: "",
  });
  useEffect(() => {
    let here = true;
    void yaml().then(({ parse }) => {
      if (!here) return;
      try {
        const wanted = parse(text) as Wanted | null;
        setFound(
          wanted?.spec
            ? { wanted, broken: "" }
            : { wanted: undefined, broken: "metadata and spec are expected" },
        );
      } catch (error) {
        setFound({ wanted: undefined, broken: `not YAML yet: ${(error as Error).message.split("\n")[0]}` });
      }
    });
    return () => {
      here = false;
    };
  }, [text]);
  return found;
}
