// "Who can delete hosts in prod?", answered by the function that decides; and why, for anybody.
import { useQuery } from "@tanstack/react-query";
import { permissionsQuery } from "@/api/people";
import { at, get, ifUnanswered } from "@/api/request";
import type { Page } from "@/api/shapes";
import { useScope } from "@/scope/useScope";
import { useParams } from "@/ui/address";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ChoiceField, TextField } from "@/ui/Field";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { Badge } from "@/ui/StateBadge";
import type { Deed } from "@/words/deed";

interface Reached {
  role: string;
  scope: string;
  effect: string;
  verbs: string[];
  keys: string[];
  reaches: boolean;
  because: string;
}

interface Explained {
  name: string;
  allowed: boolean;
  reason: string;
  rules: Reached[];
}

export function WhoCan() {
  const scope = useScope();
  const { organization = "", project = "", workspace = "" } = scope;
  const [search, set] = useParams();
  const { data: known } = useQuery(permissionsQuery);
  const verb = search.verb ?? "delete";
  const key = search.key ?? "project.workspace.host";
  const asked = { verb, key, project, workspace, name: search.object ?? "" };
  const { data, error, isSuccess } = useQuery({
    queryKey: ["who-can", organization, asked],
    queryFn: () =>
      get<Page<{ name: string; reason: string }>>(
        at("/v1/organizations/{organization}/access:who-can", { organization }),
        { ...asked, page_size: 200 },
      ),
    enabled: Boolean(organization),
  });
  const where = [organization, project, workspace].filter(Boolean).join("/");
  return (
    <div className="stack">
      <div className="access-asked">
        <span className="faint">who can</span>
        <ChoiceField
          label="verb"
          required
          value={verb}
          change={(next) => set({ verb: next })}
          choices={(known?.verbs ?? []).map((each) => ({ value: each, label: each }))}
        />
        <ChoiceField
          label="key"
          required
          search
          value={key}
          change={(next) => set({ key: next })}
          choices={(known?.items ?? []).map((each) => ({ value: each.key, label: each.key }))}
          about={known?.items.find((each) => each.key === key)?.about}
        />
        <TextField
          label="object"
          hint="any"
          value={search.object ?? ""}
          change={(object) => set({ object })}
          about={`in ${where}; choose another place at the top`}
        />
      </div>
      <Problem error={error} />
      <ul className="access-people" aria-label={`who can ${verb} ${key} in ${where}`}>
        {data?.items.map((each) => (
          <li key={each.name} className="card">
            <div className="grow">
              <strong>{each.name}</strong>
              <div className="faint">{each.reason}</div>
            </div>
            {!each.reason.startsWith("role administrator ") && (
              <button
                type="button"
                className="link"
                aria-label={`every rule of ${each.name}`}
                onClick={() => set({ who: each.name })}
              >
                every rule
              </button>
            )}
          </li>
        ))}
      </ul>
      {isSuccess && data.items.length === 0 && (
        <Empty
          title="Nobody can"
          command={`setpoint who-can ${verb} ${key}`}
          action={<Button onClick={() => set({ tab: "roles" })}>See what roles allow</Button>}
        />
      )}
      <Explain asked={asked} />
      <ShowAs deed={deedOf(organization, asked)} />
    </div>
  );
}

function Explain({ asked }: { asked: Record<string, string> }) {
  const { organization = "" } = useScope();
  const [search, set] = useParams();
  const who = search.who ?? "";
  const { data, error } = useQuery({
    queryKey: ["explain", organization, asked, who],
    queryFn: () =>
      get<Page<Explained>>(at("/v1/organizations/{organization}/access:explain", { organization }), {
        ...asked,
        who,
        page_size: 50,
      }),
    enabled: who.includes("@") || who.length > 2,
    retry: ifUnanswered,
  });
  return (
    <section className="stack" aria-label="why">
      <TextField
        label="and why, for whom?"
        about="a member's address or a token's name"
        hint="bob@example.org"
        value={who}
        change={(next) => set({ who: next })}
      />
      <Problem error={who && error} />
      {data?.items.map((each) => (
        <div key={each.name} className="stack">
          <div className="row wrap">
            <strong>{each.name}</strong>
            <Badge
              symbol={each.allowed ? "✓" : "✗"}
              tone={each.allowed ? "green" : "red"}
              word={each.allowed ? "may" : "may not"}
            />
            <span>{each.reason}</span>
          </div>
          <ul className="plain-list" aria-label={`rules of ${each.name}`}>
            {each.rules.map((rule) => (
              <li key={JSON.stringify(rule)} className={rule.reaches ? undefined : "faint"}>
                {rule.reaches ? "●" : "○"} {rule.role}
                {rule.scope && ` in ${rule.scope}`} {rule.effect}s {rule.verbs.join(", ")} of{" "}
                {rule.keys.join(", ")}: {rule.because}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function deedOf(organization: string, asked: Record<string, string>): Deed {
  const { verb = "", key = "", project, workspace, name } = asked;
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value)).toString();
  const flags = [`-O ${organization}`, project && `-p ${project}`, workspace && `-w ${workspace}`];
  return {
    method: "GET",
    path: `/v1/organizations/${encodeURIComponent(organization)}/access:who-can?${query}`,
    command: ["setpoint who-can", verb, key, name, ...flags].filter(Boolean).join(" "),
  };
}
