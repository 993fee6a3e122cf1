import { readFileSync } from "node:fs";
import { defineConfig } from "tsdown";

const { bin, exports, imports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/** Where package.json has the entry points: `./dist/src/server/index.js` is made of `src/server/index.ts`. */
const published = /^\.\/dist\/((?:src|generated)\/.*)\.js$/;

const files = [
  ...Object.values<string>(bin),
  ...Object.values<{ default?: string }>(exports).map((paths) => paths.default),
  // What differs between platforms, which choose by the conditions in package.json.
  ...Object.values<{ node: string; default: string }>(imports).flatMap((paths) => [
    paths.node,
    paths.default,
  ]),
];
const entries = files.flatMap((path) => published.exec(path ?? "")?.[1] ?? []);

/** What chunks are chosen by: the graph of modules. */
interface Graph {
  getModuleInfo(
    id: string,
  ): { readonly importers: readonly string[]; readonly dynamicImporters: readonly string[] } | null;
}

/** Entry points that bundlers of browsers read. Their modules stay in small chunks, of which a bundler takes only those that it needs. */
const forBrowsers = /^(?:src\/(?:client|grpc-web)\/|generated\/)/;

/** Entry points that load a server. */
const withServer = /^src\/(?:server|testing|cli)\//;

/** The chunk of modules that besides servers only these entry points reach. */
const chunks: readonly (readonly [name: string, entry: RegExp])[] = [
  ["agent", /^src\/index$/],
  ["storage", /^src\/stores\//],
];

/**
 * The chunk of a module that every server loads; null for other modules, which are divided by the entry points that need them. A process
 * starts sooner with sixty files than with ninety. Chunks do not import each other in a circle, because each entry point that reaches a
 * module reaches its imports.
 */
function chunkOf(id: string, graph: Graph): string | null {
  if (id.endsWith(".d.ts") || reaching(id, graph, true).some((entry) => forBrowsers.test(entry))) return null;
  const from = reaching(id, graph, false);
  if (!from.includes("src/server/index")) return null;
  const others = from.filter((name) => !withServer.test(name));
  if (others.length === 0) return from.includes("src/server/fetch/index") ? "server" : "node-server";
  return chunks.find(([, entry]) => others.every((name) => entry.test(name)))?.[0] ?? null;
}

/** The entry points that reach a module, by static imports only or by dynamic ones as well. */
function reaching(id: string, graph: Graph, dynamically: boolean): string[] {
  const seen = new Set([id]);
  for (const module of seen) {
    const { importers = [], dynamicImporters = [] } = graph.getModuleInfo(module) ?? {};
    for (const importer of dynamically ? [...importers, ...dynamicImporters] : importers) seen.add(importer);
  }
  return entries.filter((name) => seen.has(`${import.meta.dirname}/${name}.ts`));
}

export default defineConfig({
  entry: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
  platform: "node",
  external: Object.keys(imports),
  target: "node20",
  outputOptions: {
    chunkFileNames: "src/shared/[name].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf }] },
  },
  // Without comments, which the declarations have. Names and lines stay as they are written.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
  fixedExtension: false,
  hash: false,
  sourcemap: true,
  dts: true,
  clean: true,
  tsconfig: "tsconfig.build.json",
  // Servers read it when they are asked for it.
  copy: ({ outDir }) => [{ from: "generated/**/openapi.json", to: `${outDir}/generated`, flatten: false }],
});
