import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const version = /^version = "(.+)"/m.exec(
  readFileSync(new URL("../pyproject.toml", import.meta.url), "utf8"),
)?.[1];
// In development the API answers from where SETPOINT_URL says; in the product both have one origin.
const server = process.env.SETPOINT_URL ?? "http://127.0.0.1:8080";
const proxied = ["/v1", "/docs", "/schemas", "/openapi.json", "/livez", "/readyz"];

export default defineConfig({
  plugins: [react()],
  define: { __VERSION__: JSON.stringify(version) },
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../src/setpoint/console",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    // Nothing is inlined: the content policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, server])) },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], testTimeout: 30_000 },
} as Parameters<typeof defineConfig>[0]);
