// Organization › project › workspace: where one looks. It lives in the address as `scope=acme/shop/prod`.
export interface Scope {
  organization?: string;
  project?: string;
  workspace?: string;
}

export function scopeOf(text: string | undefined): Scope {
  const [organization, project, workspace] = (text ?? "").split("/").filter(Boolean);
  return { organization, project, workspace };
}

export function textOf(scope: Scope): string {
  return [scope.organization, scope.project, scope.workspace].filter(Boolean).join("/");
}

/** Whether what lies at `inner` is inside of `outer`. */
export function holds(outer: Scope, inner: Scope): boolean {
  return (["organization", "project", "workspace"] as const).every(
    (part) => !outer[part] || outer[part] === inner[part],
  );
}

/** For links that lead to another page of the same scope. */
export const keepScope = ((known: { scope?: string }) => ({ scope: known.scope })) as never;
