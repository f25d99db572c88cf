// Something new: a name, the fields of its kind, and what would happen beside it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams as useRouteParams } from "@tanstack/react-router";
import { useState } from "react";
import { keyOf, useWhyNot } from "@/api/access";
import { entityPath, titled, useKind, useKinds } from "@/api/kinds";
import { save } from "@/api/save";
import type { Json, Kind } from "@/api/shapes";
import { textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { TextField } from "@/ui/Field";
import { Go } from "@/ui/Go";
import { Problem } from "@/ui/Problem";
import { SchemaForm } from "@/ui/SchemaForm";
import { ShowAs } from "@/ui/ShowAs";
import { declareDeed, reaches } from "@/words/declare";
import { fieldsOf, mistakeAt, specOf, type Typed } from "@/words/form";
import { linkTo } from "@/words/link";
import { Preview, usePreview } from "./resource/Preview";

export default function Declare() {
  const params = useRouteParams({ strict: false }) as { kind: string };
  const kind = useKind(params.kind);
  const known = useKinds().length > 0;
  if (kind) return <Form key={kind.name} kind={kind} />;
  return known ? (
    <Empty
      title={`There is no kind called ${params.kind}`}
      command="setpoint kinds"
      action={<Go to="/inventory">See what there is</Go>}
    />
  ) : null;
}

function Form({ kind }: { kind: Kind }) {
  const here = useScope();
  const navigate = useNavigate();
  const client = useQueryClient();
  const fields = fieldsOf(kind, useKinds());
  const [name, setName] = useState("");
  const [project, setProject] = useState(here.project ?? "");
  const [workspace, setWorkspace] = useState(here.workspace ?? "");
  const [typed, setTyped] = useState<Typed>({});
  const place = { organization: here.organization, project, workspace };
  const spec = specOf(fields, typed);
  const missing = whatIsMissing(
    kind,
    { name, project, workspace },
    fields.filter((each) => each.required && spec[each.name] === undefined).map((each) => each.name),
  );
  const path = entityPath(kind, { ...place, name: name || "…" });
  const found = usePreview({
    method: "PUT",
    path,
    body: { metadata: {}, spec } as Json,
    organization: here.organization ?? name,
    wait: missing,
  });
  const forbidden = useWhyNot("create", keyOf(kind), place);
  const put = useMutation({
    mutationFn: () => save(path, { metadata: {}, spec }, 0),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ["names"] });
      void navigate({ ...(linkTo(made) as object), search: { scope: textOf(here) } } as never);
    },
  });
  return (
    <div className="page">
      <header>
        <div className="grow">
          <h1>Declare a {titled(kind.name)}</h1>
          <p className="title-reason faint">{kind.about}</p>
        </div>
      </header>
      <form
        className="two"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing && !forbidden) put.mutate();
        }}
      >
        <div className="stack">
          <TextField
            label="name"
            required
            focus
            value={name}
            change={setName}
            mistake={mistakeAt(found.mistakes, "/metadata/name")}
            about="small letters, digits and dashes; it is how people call it"
          />
          {reaches(kind, "project") && (
            <TextField
              label="project"
              required
              value={project}
              change={setProject}
              mistake={mistakeAt(found.mistakes, "/metadata/project")}
            />
          )}
          {reaches(kind, "workspace") && (
            <TextField
              label="workspace"
              required
              value={workspace}
              change={setWorkspace}
              mistake={mistakeAt(found.mistakes, "/metadata/workspace")}
            />
          )}
          <SchemaForm
            fields={fields}
            typed={typed}
            change={setTyped}
            mistakes={found.mistakes}
            scope={place}
          />
          <Problem error={put.error} />
          <div className="row wrap">
            <Button type="submit" look="main" busy={put.isPending} whyNot={forbidden || missing}>
              Declare it
            </Button>
            <ShowAs deed={declareDeed(kind, { ...place, name, spec })} />
          </div>
        </div>
        <Preview found={found} />
      </form>
    </div>
  );
}

function whatIsMissing(
  kind: Kind,
  place: { name: string; project: string; workspace: string },
  fields: string[],
): string {
  const empty = [
    place.name ? "" : "name",
    reaches(kind, "project") && kind.name !== "project" && !place.project ? "project" : "",
    reaches(kind, "workspace") && kind.name !== "workspace" && !place.workspace ? "workspace" : "",
    ...fields.map(titled),
  ].filter(Boolean);
  return empty.length ? `still to say: ${empty.join(", ")}` : "";
}
