// Completes package-lock.json: run `node lock.mjs` after `npm install`.
// Programs for other systems are optional, and where a registry does not offer them npm leaves them out of the lock;
// `npm ci` then calls the lock incomplete. Their names and the one version that fits are known without asking.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "wasm32"];

for (const [, known] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(known.optionalDependencies ?? {})) {
    const words = name.split("/").pop().split("-");
    const system = SYSTEMS.find((each) => words.includes(each));
    if (!system || lock.packages[`node_modules/${name}`]) continue;
    const musl = words.includes("musl") ? { libc: ["musl"] } : {};
    const cpu = words[words.indexOf(system) + 1];
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      dev: true,
      optional: true,
      os: [system],
      ...musl,
    };
  }
}
const sorted = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
