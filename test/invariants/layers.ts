import { importsOf, type Rule } from "./source-file.js";

/**
 * What each part of `src/` may import besides itself and the files directly in `src/` (model, operations, errors,
 * call, ...), which import only each other. Arrows point down only: a new folder is a decision, written here.
 */
const below: Record<string, readonly string[]> = {
  "(files in src)": [],
  "index.ts": ["agent", "card", "engine", "skills", "stores", "push", "auth", "task", "wire", "bindings"],
  server: ["bindings", "wire", "engine", "agent", "card", "stores", "push", "auth", "task", "observability"],
  bindings: ["wire", "engine", "card", "task", "observability"],
  engine: ["agent", "stores", "push", "task", "wire", "observability"],
  wire: ["task"],
  agent: ["card", "skills", "task"],
  skills: ["wire"],
  card: [],
  push: ["auth", "stores", "task", "wire", "observability"],
  stores: ["task"],
  testing: ["agent", "client", "server", "stores", "task"],
  auth: [],
  observability: ["agent", "auth", "stores", "task"],
  opentelemetry: ["observability"],
  client: ["card", "skills", "task", "wire"],
  conformance: ["client", "wire"],
  cli: ["client", "conformance", "server", "agent", "card", "push", "stores", "skills", "task", "wire"],
  task: [],
};

/** The files of `src/` through which the newest generated version reaches the rest. */
const doors = ["src/model.ts", "src/operations.ts", "src/errors.ts"];

/** The part of `src/` that a path belongs to, or nothing when it lies elsewhere. */
function partOf(path: string): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  if (path === "src/index.ts") return "index.ts";
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? "(files in src)";
}

/** Imports inside `src/` go down the layers only. */
export const importDirection: Rule = (files) =>
  files.flatMap((file) => {
    const from = partOf(file.path);
    if (from === undefined) return [];
    const allowed = below[from];
    if (allowed === undefined) return [`${file.path}: the folder ${from} has no layer yet`];
    return importsOf(file, files).flatMap(({ specifier, target }) => {
      const to = target === undefined ? undefined : partOf(target);
      if (to === undefined || to === from || to === "(files in src)" || allowed.includes(to)) return [];
      return [`${file.path}: ${from} must not import ${to} (${specifier})`];
    });
  });

/** Orders `v0.3` before `v1.0` before `v1.10`. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** `generated/<v>` is imported by `src/wire/<v>` alone; the newest also by the doors. */
export const generatedDoors: Rule = (files) => {
  const versions = files.flatMap((file) => /^generated\/([^/]+)\//.exec(file.path)?.[1] ?? []);
  const newest = versions.sort(compareVersions).at(-1);
  return files
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) =>
      importsOf(file, files).flatMap(({ specifier, target }) => {
        const version = /^generated\/([^/]+)\//.exec(target ?? "")?.[1];
        if (version === undefined || file.path.startsWith(`src/wire/${version}/`)) return [];
        if (!doors.includes(file.path))
          return [`${file.path}: must not import generated code (${specifier})`];
        return version === newest ? [] : [`${file.path}: imports ${version}, but the newest is ${newest}`];
      }),
    );
};

/** Generated code depends on nothing but itself, and `src/` on nothing that exists at build time only. */
export const generatedAlone: Rule = (files) =>
  files.flatMap((file) =>
    importsOf(file, files).flatMap(({ specifier, target }) => {
      if (file.path.startsWith("generated/") && target?.startsWith("generated/") !== true) {
        return [`${file.path}: generated code must not import ${specifier}`];
      }
      if (!file.path.startsWith("src/") || target === undefined || /^(src|generated)\//.test(target))
        return [];
      return [`${file.path}: src must not import ${specifier}`];
    }),
  );

/** Koa and its middleware are known to `src/server/` alone. */
export const koaOnlyInServer: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith("src/") && !file.path.startsWith("src/server/"))
    .flatMap((file) =>
      importsOf(file, files)
        .filter(({ specifier }) => /^(koa|koa-.*|@koa\/.*)$/.test(specifier))
        .map(({ specifier }) => `${file.path}: only src/server may import ${specifier}`),
    );

/** No import, of values or of types, leads back to where it started. */
export const noCycles: Rule = (files) => {
  const targets = new Map(
    files.map((file) => [file.path, importsOf(file, files).flatMap(({ target }) => target ?? [])]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push(`${[...trail.slice(start), path].join(" -> ")}`);
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return cycles;
};
