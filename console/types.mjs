// Writes src/api/schema.d.ts from the contract: `npm run types $SETPOINT_URL/openapi.json`.
// Routes of kinds are left out: the console knows kinds from /v1/kinds, never by name. So are answers, which the
// contract describes as JSON and no more, and headers, which the browser or request.ts sends.
import { writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const contract = await (await fetch(process.argv[2])).json();
const kinds = new Set(Object.keys(contract.components.schemas).map((name) => `${name.split(".")[0]}s`));
const ofKind = (path) =>
  kinds.has(
    path
      .replace(/[:/]?{name}.*/, "")
      .split("/")
      .pop(),
  );
const slim = (operation) => ({
  summary: operation.summary,
  parameters: operation.parameters?.filter((each) => each.in !== "header"),
  responses: { default: { description: "JSON" } },
});
const paths = Object.fromEntries(
  Object.entries(contract.paths)
    .filter(([path]) => path.startsWith("/v1/") && (!ofKind(path) || path === "/v1/organizations"))
    .map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, slim(operation)])),
    ]),
);
const made = astToString(await openapiTS({ openapi: contract.openapi, info: contract.info, paths }));
// Methods that a path does not have say nothing.
const lean = made.replace(/^ +\w+\??: never;\n/gm, "");
writeFileSync(new URL("src/api/schema.d.ts", import.meta.url), lean);
