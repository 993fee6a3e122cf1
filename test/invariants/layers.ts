import { newestOf } from "../../codegen/version-order.js";
import { importsOf, type Rule } from "./source-file.js";

/**
 * What each part of `src/` may import besides itself: exactly that, so an import that is new is a decision, written here, and one that
 * is gone leaves the table. Arrows point down only.
 */
const below: Record<string, readonly string[]> = {
  "index.ts": ["agent", "card", "json", "protocol"],
  bridges: ["agent", "task-log", "json", "protocol"],
  cli: [
    "inspector",
    "recording",
    "conformance",
    "loopback",
    "client",
    "server",
    "push",
    "stores",
    "agent",
    "card",
    "versions",
    "json",
    "net",
    "async",
    "protocol",
    "runtime",
  ],
  inspector: [
    "conformance",
    "recording",
    "client",
    "grpc",
    "push",
    "card",
    "versions",
    "agent",
    "task-log",
    "json",
    "net",
    "async",
    "collections",
    "protocol",
    "runtime",
  ],
  conformance: ["client", "versions", "json", "net", "async", "protocol"],
  testing: ["recording", "client", "server", "stores", "agent", "task-log", "async", "protocol"],
  client: [
    "agent",
    "card",
    "grpc",
    "versions",
    "task-log",
    "json",
    "net",
    "async",
    "collections",
    "protocol",
    "runtime",
  ],
  loopback: ["client", "protocol"],
  "grpc-web": ["client", "grpc", "versions", "collections"],
  recording: ["json", "net", "protocol"],
  prometheus: ["opentelemetry", "observability", "async"],
  opentelemetry: ["observability", "async", "protocol"],
  server: [
    "inspector",
    "engine",
    "grpc",
    "push",
    "observability",
    "stores",
    "agent",
    "auth",
    "card",
    "versions",
    "task-log",
    "json",
    "net",
    "async",
    "collections",
    "protocol",
    "runtime",
  ],
  engine: [
    "push",
    "observability",
    "stores",
    "agent",
    "auth",
    "versions",
    "task-log",
    "json",
    "async",
    "collections",
    "protocol",
    "runtime",
  ],
  push: [
    "observability",
    "stores",
    "auth",
    "versions",
    "task-log",
    "json",
    "net",
    "async",
    "collections",
    "protocol",
    "runtime",
  ],
  observability: ["stores", "agent", "auth", "task-log", "async", "protocol", "runtime"],
  stores: ["task-log", "json", "async", "collections", "protocol", "runtime"],
  agent: ["auth", "card", "json", "collections", "protocol"],
  auth: ["json", "net", "async", "protocol", "runtime"],
  card: ["json", "net", "protocol"],
  grpc: ["async", "versions", "protocol"],
  versions: ["task-log", "json", "protocol"],
  "task-log": ["protocol"],
  json: ["protocol", "runtime"],
  net: ["runtime"],
  async: ["collections", "protocol", "runtime"],
  collections: [],
  runtime: [],
  protocol: [],
};

/** The files of `src/` through which the newest generated version reaches the rest. */
const doors = [
  "src/index.ts",
  "src/protocol/model.ts",
  "src/protocol/operations.ts",
  "src/protocol/errors.ts",
];

/** The part of `src/` that a path belongs to, or nothing when it lies elsewhere. */
function partOf(path: string): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  return path.split("/")[1];
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
      if (to === undefined || to === from || allowed.includes(to)) return [];
      return [`${file.path}: ${from} must not import ${to} (${specifier})`];
    });
  });

/** The table permits nothing that no file makes use of, and index.ts is the only file at the root of `src/`. */
export const exactTable: Rule = (files) => {
  const used = new Map<string, Set<string>>();
  for (const file of files) {
    const from = partOf(file.path);
    if (from === undefined) continue;
    const targets = used.get(from) ?? new Set();
    for (const { target } of importsOf(file, files)) targets.add(partOf(target ?? "") ?? "");
    used.set(from, targets);
  }
  return Object.entries(below).flatMap(([from, allowed]) =>
    allowed
      .filter((to) => !used.get(from)?.has(to))
      .map((to) => `${from} does not import ${to}: leave it out`),
  );
};

/** What drafts add to the closed set of errors reaches the rest through the same doors. */
const draftErrors =
  /^src\/protocol\/(?:errors|operations)\.ts generated\/v[\d.]+-draft\/(?:additions|fallbacks)\.ts$/;

/** `generated/<v>` is imported by `src/versions/<v>` alone; the newest released one also by the doors. */
export const generatedDoors: Rule = (files) => {
  const versions = files.flatMap((file) => /^generated\/v([^/]+)\//.exec(file.path)?.[1] ?? []);
  const newest = `v${newestOf(versions)}`;
  return files
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) =>
      importsOf(file, files).flatMap(({ specifier, target }) => {
        const version = /^generated\/([^/]+)\//.exec(target ?? "")?.[1];
        if (version === undefined || file.path.startsWith(`src/versions/${version}/`)) return [];
        if (draftErrors.test(`${file.path} ${target}`)) return [];
        if (!doors.includes(file.path))
          return [`${file.path}: must not import generated code (${specifier})`];
        return version === newest ? [] : [`${file.path}: imports ${version}, but the newest is ${newest}`];
      }),
    );
};

/** The command that generates the protocol carries codegen with it: the only one. */
const codegenDoor = "src/cli/codegen/protocol.ts codegen/standalone.ts";

/** Generated code depends on nothing but itself, and `src/` on nothing that exists at build time only. */
export const generatedAlone: Rule = (files) =>
  files.flatMap((file) =>
    importsOf(file, files).flatMap(({ specifier, target }) => {
      if (file.path.startsWith("generated/") && target?.startsWith("generated/") !== true) {
        return [`${file.path}: generated code must not import ${specifier}`];
      }
      if (!file.path.startsWith("src/") || target === undefined || /^(src|generated)\//.test(target))
        return [];
      if (`${file.path} ${target}` === codegenDoor) return [];
      return [`${file.path}: src must not import ${specifier}`];
    }),
  );

/** Koa is known to one host, `src/server/koa/`, and its parser of bodies to the reader of compressed ones. */
export const koaOnlyInServer: Rule = (files) =>
  files
    .filter(
      (file) =>
        file.path.startsWith("src/") && !/^src\/server\/(?:koa\/|node\/read-compressed)/.test(file.path),
    )
    .flatMap((file) =>
      importsOf(file, files)
        .filter(({ specifier }) => /^(koa|koa-.*|@koa\/.*)$/.test(specifier))
        .map(({ specifier }) => `${file.path}: only src/server/koa may import ${specifier}`),
    );

/** The fetch host runs where there is no Node: it imports nothing of Node and no package. */
export const fetchWithoutNode: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith("src/server/fetch/"))
    .flatMap((file) =>
      importsOf(file, files)
        .filter(({ target }) => target === undefined)
        .map(({ specifier }) => `${file.path}: the fetch host must not import ${specifier}`),
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
