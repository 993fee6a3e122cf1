import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Node, SourceFile as SyntaxTree } from "typescript";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";

/** A file of the repository. Every rule is a function of a list of these, so that it can be tried on a tree that breaks it. */
export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A rule of the tree: one line for each place that breaks it, beginning with the path. */
export type Rule = (files: readonly SourceFile[]) => string[];

/** An import or re-export: what was written, and the file of the tree that it leads to, if it leads to one. */
export interface Import {
  readonly specifier: string;
  readonly target: string | undefined;
}

/** Every file is read, and parsed, once in a process. */
const read = new Map<string, SourceFile>();

/** Reads all TypeScript and JavaScript files below the named folders; a folder that is not there has none. */
export function readTree(...folders: string[]): SourceFile[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        posix.join(folder, name.replaceAll("\\", "/")),
      ),
    )
    .filter((path) => /\.(tsx?|js|mjs)$/.test(path))
    .map((path) => {
      const file = read.get(path) ?? { path, text: readFileSync(join(root, path), "utf8") };
      read.set(path, file);
      return file;
    });
}

/** A tree written down in a test. */
export function tree(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

/** Many rules look at the same files. */
const specifiersIn = new WeakMap<SourceFile, readonly string[]>();
const pathsIn = new WeakMap<readonly SourceFile[], ReadonlySet<string>>();
const trees = new WeakMap<SourceFile, SyntaxTree>();

function remembered<Key extends object, Value>(
  found: WeakMap<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  const value = found.get(key) ?? make();
  found.set(key, value);
  return value;
}

/** The files that package.json names for Node, by what is imported. */
const byPlatform: Readonly<Record<string, string>> = {
  "#runtime": "src/runtime/node.ts",
  "#grpc": "src/client/transports/grpc/node-connection.ts",
  "#connections": "src/push/url-guard/node-connections.ts",
  "#opentelemetry-api": "src/opentelemetry/node-api.ts",
};

/** Everything that a file imports or re-exports: values and types, static and dynamic. */
export function importsOf(file: SourceFile, files: readonly SourceFile[]): Import[] {
  const paths = remembered(pathsIn, files, () => new Set(files.map(({ path }) => path)));
  const specifiers = remembered(specifiersIn, file, () =>
    ts.preProcessFile(file.text, true, true).importedFiles.map(({ fileName }) => fileName),
  );
  return specifiers.map((specifier) => {
    if (specifier.startsWith("#")) return { specifier, target: byPlatform[specifier] };
    if (!specifier.startsWith(".")) return { specifier, target: undefined };
    const path = posix.join(posix.dirname(file.path), specifier);
    const candidates = [".ts", ".tsx", ".js", ".d.ts"].map((end) => path.replace(/\.js$/, end));
    const found = candidates.find((candidate) => paths.has(candidate));
    return { specifier, target: found ?? candidates[0] };
  });
}

/** The syntax tree of a file. */
export function parse(file: SourceFile): SyntaxTree {
  return remembered(trees, file, () =>
    ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2022, true),
  );
}

/** The line of a node, counted from 1. */
export function lineOf(node: Node): number {
  const source = node.getSourceFile();
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}
