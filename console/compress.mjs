// Lays a .gz and a .br beside each built file that gets smaller by it, so that nothing is compressed while serving.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = new URL("../src/setpoint/console/", import.meta.url).pathname;
const WORTH = /\.(js|css|html|svg|json)$/;

for (const name of readdirSync(root, { recursive: true })) {
  const path = join(root, name);
  if (!statSync(path).isFile() || !WORTH.test(path)) continue;
  const raw = readFileSync(path);
  for (const [ending, packed] of [
    [".gz", gzipSync(raw, { level: 9 })],
    [".br", brotliCompressSync(raw)],
  ]) {
    if (packed.length < raw.length) writeFileSync(path + ending, packed);
  }
}
