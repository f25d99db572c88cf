// Organization › project › workspace, each a choice of what there is; kept in the address.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useEffect } from "react";
import { base } from "@/api/kinds";
import { MOST, namesQuery, ORGANIZATIONS } from "@/api/names";
import { type Scope, textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { Menu } from "@/ui/Menu";
import { usePreference } from "@/ui/preferences";

export function ScopePicker() {
  const scope = useScope();
  const set = useSetScope();
  const { organization, project, workspace } = scope;
  return (
    <div className="row scope">
      <Level
        name="organization"
        path={ORGANIZATIONS}
        chosen={organization}
        choose={(organization) => set({ organization })}
      />
      {organization && (
        <Level
          name="project"
          all="all projects"
          path={`${base({ organization })}/projects`}
          chosen={project}
          choose={(project) => set({ organization, project })}
        />
      )}
      {organization && project && (
        <Level
          name="workspace"
          all="all workspaces"
          path={`${base({ organization, project })}/workspaces`}
          chosen={workspace}
          choose={(workspace) => set({ organization, project, workspace })}
        />
      )}
    </div>
  );
}

function Level({
  name,
  all,
  path,
  chosen,
  choose,
}: {
  name: string;
  all?: string;
  path: string;
  chosen: string | undefined;
  choose: (name: string | undefined) => void;
}) {
  const { data = [] } = useQuery(namesQuery(path));
  const choices = data.map((each) => ({ label: each, chosen: each === chosen, do: () => choose(each) }));
  const every = all ? [{ label: all, chosen: !chosen, do: () => choose(undefined) }] : [];
  return (
    <>
      {name !== "organization" && <span className="faint">›</span>}
      <Menu
        title={name}
        choices={[...every, ...choices]}
        target={
          <Button
            look="quiet"
            label={`${name}: ${chosen ?? all ?? "none"}`}
            icon={<ChevronDown size={12} aria-hidden />}
          >
            <span className="cut short">{chosen ?? all ?? "no organization"}</span>
          </Button>
        }
      />
    </>
  );
}

function useSetScope(): (scope: Scope) => void {
  const navigate = useNavigate();
  const [, remember] = usePreference("scope", "");
  return (scope) => {
    remember(textOf(scope));
    void navigate({ to: ".", search: ((known: object) => ({ ...known, scope: textOf(scope) })) as never });
  };
}

const AGAIN_MS = 3_000;

/** Nothing is declared at all, so there is nowhere to look; without an organization there is no stream that could tell. */
export function useNowhere(): boolean {
  const { organization } = useScope();
  const { data } = useQuery({
    ...namesQuery(ORGANIZATIONS),
    refetchInterval: (known) => (known.state.data?.items.length === 0 ? AGAIN_MS : false),
  });
  return !organization && data?.length === 0;
}

/** The address names an organization that does not exist, or that one may not see. */
export function useUnknown(): boolean {
  const { organization } = useScope();
  const isMissing = (names: string[]) =>
    organization !== undefined && names.length < MOST && !names.includes(organization);
  const { data } = useQuery({
    ...namesQuery(ORGANIZATIONS),
    // It may be declared meanwhile, and no stream could tell.
    refetchInterval: ({ state }) =>
      state.data && isMissing(state.data.items.map(({ metadata }) => metadata.name)) ? AGAIN_MS : false,
  });
  return data !== undefined && isMissing(data);
}

/** Where nobody said where to look: where one looked last, or the first organization there is. */
export function useFirstScope(ready: boolean): void {
  const { organization } = useScope();
  const navigate = useNavigate();
  const [remembered] = usePreference("scope", "");
  const { data } = useQuery({ ...namesQuery(ORGANIZATIONS), enabled: ready });
  useEffect(() => {
    if (organization || !data?.length) return;
    const scope = data.includes(remembered.split("/")[0] ?? "") ? remembered : data[0];
    void navigate({ to: ".", search: ((known: object) => ({ ...known, scope })) as never, replace: true });
  }, [organization, data, remembered, navigate]);
}
