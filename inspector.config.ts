import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const below = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Versions of the newest major version, drafts included: forms are made of their requests. Calls in older versions are converted. */
const versions = readdirSync(below("schema"))
  .sort((one, other) => one.localeCompare(other, "en", { numeric: true }))
  .filter((name, _, names) => name.split(".")[0] === names.at(-1)?.split(".")[0]);

const requirement = /^\| ([A-Z]+(?:-[A-Z]+)*-\d\d) \| (\w+) \| (?:server|both) \| (.+) \| ([^|]+) \|$/gm;

/** Documents of the repository as modules; `virtual.d.ts` has their types. */
const documents: Readonly<Record<string, () => unknown>> = {
  "virtual:a2a-schemas": () =>
    Object.fromEntries(
      versions.map((name) => [
        name.slice(1),
        JSON.parse(readFileSync(below(`schema/${name}/a2a.schema.json`), "utf8")),
      ]),
    ),
  // Each requirement of servers: its level, statement and section.
  "virtual:requirements": () =>
    Object.fromEntries(
      Array.from(
        readFileSync(below("docs/requirements.md"), "utf8").matchAll(requirement),
        ([, id, level, statement, section]) => [id, [level, statement?.replaceAll("\\|", "|"), section]],
      ),
    ),
};

const documentModules: Plugin = {
  name: "documents",
  resolveId: (id) => (id in documents ? `\0${id}` : undefined),
  load: (id) => {
    const read = documents[id.slice(1)];
    const [, name] = /-(?:a2a-)?(\w+)$/.exec(id.replace(":", "-")) ?? [];
    return read && `export const ${name} = ${JSON.stringify(read())}`;
  },
};

/** Builds the page of the inspector into static files: `npm run build:inspector`. */
export default defineConfig({
  root: below("src/inspector/page"),
  // The page is served below any path.
  base: "./",
  plugins: [documentModules],
  resolve: {
    // What package.json chooses by platform.
    alias: {
      "#runtime": below("src/runtime/web.ts"),
      "#grpc": below("src/inspector/page/session/grpc-connection.ts"),
      "#connections": below("src/push/url-guard/web-connections.ts"),
    },
  },
  build: {
    outDir: process.env.INSPECTOR_PAGE ?? below("dist/inspector"),
    emptyOutDir: true,
    target: "es2022",
    // The content security policy permits no inline script, style or data URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
});
