// A role as it was given: how far it reaches and until when.
import type { Given } from "@/api/people";
import type { Json } from "@/api/shapes";
import type { Deed } from "@/words/deed";
import { quoted } from "@/words/deed";

export const NOTHING: Given = { role: "", project: "", workspace: "", until: "" };

export function given({ role, project, workspace, until }: Given): string {
  const where = [project, workspace].filter(Boolean).join("/");
  return `${role}${where ? ` in ${where}` : ""}${until ? ` until ${until}` : ""}`;
}

/** What a membership is called: the address, in letters that names have. */
export function nameFor(email: string, taken: string[]): string {
  const stem = email
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "")
    .slice(0, 59);
  const numbered = taken.map((_, at) => `${stem}-${at + 2}`);
  return [stem, ...numbered].find((each) => !taken.includes(each)) ?? stem;
}

export function deedOf(organization: string, name: string, email: string, roles: Given[]): Deed {
  const spec = { email, roles } as unknown as Json;
  const added = roles.map(({ role, project, workspace, until }) =>
    [
      `setpoint member add ${quoted(email || "EMAIL")} --role ${quoted(role || "ROLE")} -O ${organization}`,
      project && `-p ${project}`,
      workspace && `-w ${workspace}`,
      until && `--until ${until}`,
    ]
      .filter(Boolean)
      .join(" "),
  );
  return {
    method: "PUT",
    path: `/v1/organizations/${encodeURIComponent(organization)}/memberships/${encodeURIComponent(name)}`,
    body: { spec },
    command: added.join("\n") || `setpoint member remove ${quoted(email)} -O ${organization}`,
    manifest: { kind: "membership", metadata: { organization, name }, spec },
  };
}
