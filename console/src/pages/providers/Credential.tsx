// The credential of an account: which version, who works with it, and a new one beside the old until all do.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useWhyNot } from "@/api/access";
import { type Secret, secretsQuery } from "@/api/providers";
import { at } from "@/api/request";
import type { Entity } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { Badge } from "@/ui/StateBadge";
import { useProven } from "@/ui/StepUp";
import type { Deed } from "@/words/deed";

export function Credential({ provider }: { provider: Entity }) {
  const { organization = "" } = useScope();
  const name = String(provider.spec.credential ?? "").replace("secret://", "");
  const { data, error } = useQuery(secretsQuery(organization));
  const [rotating, setRotating] = useState(false);
  const whyNot = useWhyNot("update", "organization.secret", { organization }, name);
  const secret = data?.find((each) => each.name === name);
  return (
    <div className="stack">
      <div className="row wrap">
        <code>secret://{name}</code>
        {secret ? (
          <span className="faint">
            version {secret.version}, set <Ago at={secret.created_at} /> by {secret.created_by}
          </span>
        ) : (
          !error && (
            <span className="faint">kept by whoever runs the installation, not in this organization</span>
          )
        )}
        <Button
          whyNot={whyNot}
          label={`${secret ? "Rotate" : "Keep it here"}: the credential of ${provider.metadata.name}`}
          onClick={() => setRotating(true)}
        >
          {secret ? "Rotate" : "Keep it here"}
        </Button>
      </div>
      {secret?.previous && <Overlap secret={secret} whyNot={whyNot} />}
      {rotating && <Rotation name={name} known={Boolean(secret)} close={() => setRotating(false)} />}
    </div>
  );
}

/** Both versions are good until everything was seen with the new one. */
function Overlap({ secret, whyNot }: { secret: Secret; whyNot: string }) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const retire = useMutation({
    mutationFn: () =>
      send(
        "POST",
        at("/v1/organizations/{organization}/secrets/{name}:retire", { organization, name: secret.name }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["secrets"] }),
  });
  const behind = secret.used_by.filter((each) => (each.version ?? 0) < secret.version);
  const waits = behind.map((each) => `${each.kind} ${each.name}`).join(", ");
  return (
    <div className="stack providers-overlap">
      <div className="row wrap">
        <Badge
          symbol="…"
          tone="blue"
          word={`versions ${secret.previous?.version} and ${secret.version} are both good`}
        />
        <Button
          whyNot={whyNot || (waits && `version ${secret.version} was not yet seen to work for ${waits}`)}
          busy={retire.isPending}
          onClick={() => retire.mutate()}
        >
          Forget version {secret.previous?.version}
        </Button>
      </div>
      <ul className="plain-list" aria-label={`what uses ${secret.name}`}>
        {secret.used_by.map((each) => (
          <li key={each.kind + each.name + each.scope}>
            {(each.version ?? 0) >= secret.version ? "✓" : "…"} {each.kind} {each.name}{" "}
            <span className="faint">
              {each.version ? `works with version ${each.version}` : "was not seen to work with any"}
            </span>
          </li>
        ))}
      </ul>
      <Problem error={retire.error} />
      {dialog}
    </div>
  );
}

function Rotation({ name, known, close }: { name: string; known: boolean; close: () => void }) {
  const { organization = "" } = useScope();
  const [value, setValue] = useState("");
  const client = useQueryClient();
  const { send, dialog } = useProven();
  const path = at("/v1/organizations/{organization}/secrets/{name}", { organization, name });
  const deed: Deed = {
    method: "PUT",
    path,
    body: { value: "…", keep_previous: known },
    command: `setpoint secret ${known ? "rotate" : "set"} ${name} -O ${organization}`,
  };
  const put = useMutation({
    mutationFn: () => send("PUT", path, { body: { value, keep_previous: known } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["secrets"] });
      close();
    },
  });
  return (
    <>
      <Dialog
        open
        title={known ? `A new value for ${name}` : `Keep ${name} in ${organization}`}
        close={close}
        does={known ? "Rotate" : "Keep it"}
        submit={() => put.mutate()}
        busy={put.isPending}
        error={put.error}
        whyNot={value ? "" : "paste the new credential"}
      >
        <p className="plain">
          It is sealed as it comes in, and never shown again.{" "}
          {known && "The one before stays good until everything was seen to work with the new one."}
        </p>
        <TextField label="the new credential" secret required focus value={value} change={setValue} />
        <ShowAs deed={deed} />
      </Dialog>
      {dialog}
    </>
  );
}
