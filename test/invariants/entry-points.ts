import { posix } from "node:path";
import { ts } from "../support/typescript.js";
import { parse, type Rule, type SourceFile } from "./source-file.js";

/** The part of package.json that names the public entry points. */
export interface Exports {
  readonly [subpath: string]: string | { readonly types: string; readonly default: string };
}

/** The source file behind a subpath of the package, if hand-written code is behind it. What is generated has its own check. */
function sourceOf(target: Exports[string]): string | undefined {
  if (typeof target === "string") return undefined;
  const source = posix
    .join(target.default)
    .replace(/^dist\//, "")
    .replace(/\.js$/, ".ts");
  return source.startsWith("generated/") ? undefined : source;
}

/** Subpath to source file: `"./server"` to `src/server/index.ts`. */
export function entryPoints(exports: Exports): Map<string, string> {
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) => {
      const source = sourceOf(target);
      return source === undefined ? [] : [[subpath, source] as const];
    }),
  );
}

/** An `index.ts` is a public entry point and nothing else; every entry point exists. */
export function indexFilesArePublic(exports: Exports): Rule {
  return (files) => {
    const entries = [...entryPoints(exports).values()];
    const indexes = files.map((file) => file.path).filter((path) => /^src\/(.*\/)?index\.ts$/.test(path));
    return [
      ...indexes
        .filter((path) => !entries.includes(path))
        .map((path) => `${path}: not an export of the package`),
      ...entries
        .filter((path) => !files.some((file) => file.path === path))
        .map((path) => `${path}: named in package.json, but not there`),
    ];
  };
}

/** The names that an entry point exports, sorted; a name that is a type only is written `type Name`. */
export function exportedNames(file: SourceFile): string[] {
  return parse(file)
    .statements.filter(ts.isExportDeclaration)
    .flatMap((statement) => {
      const { exportClause } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        return statement.isTypeOnly ? ["type *"] : ["*"];
      return exportClause.elements.map((element) =>
        statement.isTypeOnly || element.isTypeOnly ? `type ${element.name.text}` : element.name.text,
      );
    })
    .sort();
}
