import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const version = /^version = "(.+)"/m.exec(
  readFileSync(new URL("../pyproject.toml", import.meta.url), "utf8"),
)?.[1];
// In development the API answers from where SETPOINT_URL says; in the product both have one origin.
const server = process.env.SETPOINT_URL ?? "http://127.0.0.1:8080";
const proxied = ["/v1", "/docs", "/schemas", "/openapi.json", "/livez", "/readyz"];

// What main.tsx becomes is imported by ask.ts, late for a browser to find: the page names it, so that it comes at once.
const announced: Plugin = {
  name: "announced",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === "chunk" && ["main", "shared"].includes(file.name))
        .map(({ fileName }) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${fileName}` },
          injectTo: "head-prepend" as const,
        })),
  },
};

export default defineConfig({
  plugins: [react(), announced],
  define: { __VERSION__: JSON.stringify(version) },
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../src/setpoint/console",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    // Nothing is inlined: the content policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    // One sheet for all pages, and no links beside a page's own file: each costs a slow processor more than its bytes.
    cssCodeSplit: false,
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) => (hostType === "html" ? files : []),
    },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What asks, without what draws: it runs before the rest is read.
            {
              name: "asked",
              test: /src\/(ask|ahead|pages)\.ts|@tanstack\/(react-query|query-core)/,
              priority: 2,
            },
            // The frame and all it stands on, in one file.
            {
              name: "main",
              test: /src\/(main|routes|frame\/(?!ModeDialog)\w+|live\/(?!worker)\w+|scope\/useScope)\.tsx?/,
              priority: 1,
            },
            // Small files that several pages share: one request for all of them, not one each. Not what stands on Mantine.
            {
              name: "shared",
              test: /src\/(api|words)\/|src\/ui\/(Button|Tip|Table|Go|EntityLink|Reason|Ago|Empty|Copied|StateBadge|address)\.|lucide-react/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, server])) },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/alone.ts"],
    // Otherwise a sheet is empty, also for whoever reads it as text.
    css: { include: [/\.css\?raw/] },
    testTimeout: 30_000,
  },
} as Parameters<typeof defineConfig>[0]);
