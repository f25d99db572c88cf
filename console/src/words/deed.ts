// Something a form is about to do, as a value; and how one would write it elsewhere.
import type { Json } from "@/api/shapes";

export interface Deed {
  method: "POST" | "PUT" | "PATCH" | "DELETE" | "GET";
  path: string;
  body?: Json;
  /** As the command line does it. */
  command: string;
  /** As a file declares it, where one can. */
  manifest?: Json;
}

export function asCurl(deed: Deed, origin: string): string {
  const type = deed.method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const lines = [
    `curl -X ${deed.method} ${origin}${deed.path}`,
    `-H "Authorization: Bearer $SETPOINT_TOKEN"`,
  ];
  if (deed.body !== undefined)
    lines.push(`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(deed.body))}`);
  return lines.join(" \\\n  ");
}

export function asPython(deed: Deed, origin: string): string {
  const body = deed.body === undefined ? "" : `,\n    json.dumps(${python(deed.body)}).encode()`;
  const type = deed.method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return [
    "import json, os",
    "from urllib.request import Request, urlopen",
    "",
    "request = Request(",
    `    "${origin}${deed.path}"${body},`,
    `    {"Authorization": "Bearer " + os.environ["SETPOINT_TOKEN"], "Content-Type": "${type}"},`,
    `    method="${deed.method}",`,
    ")",
    "print(json.load(urlopen(request)))",
  ].join("\n");
}

/** For a shell: a quote inside ends the text, adds the quote, and begins it again. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

function python(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${python(inner)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
