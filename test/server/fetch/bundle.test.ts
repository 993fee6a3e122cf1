import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import ts from "typescript";
import { test } from "vitest";
import { root } from "../../support/root.js";

const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  imports: Record<string, { default: string }>;
};

/** Chooses what package.json names for platforms that nothing is known of. */
const byDefault: Plugin = {
  name: "default platform",
  setup({ onResolve }) {
    onResolve({ filter: /^#/ }, ({ path }) => {
      const built = imports[path]?.default ?? path;
      return { path: join(root, built.replace("./dist/", "").replace(/\.js$/, ".ts")) };
    });
  },
};

/** Globals of Node that other platforms lack. */
const GLOBALS = ["Buffer", "process", "setImmediate", "require", "__dirname", "__filename"];

/** The names that a file uses, without those of members. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isMember =
      (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
      (ts.isPropertyAssignment(node.parent) && node.parent.name === node);
    if (ts.isIdentifier(node) && !isMember) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true), visit);
  return names;
}

test("the fetch host bundles for a platform without modules and globals of Node", async () => {
  const { metafile } = await build({
    entryPoints: [join(root, "src/server/fetch/index.ts")],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    outdir: "/bundle",
    plugins: [byDefault],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const ofNode = imported.filter((path) => path.startsWith("node:") || builtinModules.includes(path));
  assert.deepEqual(ofNode, []);
  const own = Object.keys(metafile.inputs).filter((path) => /^(?:src|generated)\//.test(path));
  assert.ok(own.includes("src/runtime/web.ts") && own.length > 200, "the bundle holds the server");
  for (const path of own) {
    const names = namesIn(readFileSync(join(root, path), "utf8"));
    assert.deepEqual(
      GLOBALS.filter((name) => names.has(name)),
      [],
      path,
    );
  }
});

/** What Workers refuse outside of a request: timers, random values, signals, requests. */
const REFUSING = `{
const refused = (name) => function () { throw new Error(name + " at module scope"); };
for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch", "AbortController"]) globalThis[name] = refused(name);
for (const name of ["timeout", "abort", "any"]) AbortSignal[name] = refused("AbortSignal." + name);
for (const name of ["getRandomValues", "randomUUID"]) Object.defineProperty(crypto, name, { value: refused(name) });
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });
}`;

test("the fetch host uses no timer, random value or signal before the first request", async () => {
  const agent = "{ card: { name: 'Echo', description: 'Says it again.' }, execute: () => undefined }";
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createHandler } from "./index.js"; console.log(typeof createHandler(${agent}));`,
      resolveDir: join(root, "src/server/fetch"),
    },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd"],
    plugins: [byDefault],
    write: false,
    logLevel: "silent",
  });
  const [file] = outputFiles;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-"], {
    input: REFUSING + file?.text,
    encoding: "utf8",
  });
  assert.equal(stdout.trim(), "function", stderr);
});

test("a global of Node is found in a source, and a member of its name is none", () => {
  const names = namesIn(
    "const bytes = Buffer.from(worker.process, `a${process}`); setImmediate?.(() => bytes);",
  );
  assert.deepEqual(
    GLOBALS.filter((name) => names.has(name)),
    ["Buffer", "process", "setImmediate"],
  );
});
