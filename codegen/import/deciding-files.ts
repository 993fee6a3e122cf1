import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change, Subject } from "./change.js";

/**
 * What `src/` keeps complete tables over: a new one makes them incomplete. Errors and values of enums have fallbacks. Where tables are
 * partial, a type that begins with `Exclude` makes the compiler demand the rest.
 */
const tables: Readonly<Partial<Record<Subject, string>>> = { operation: "OperationName" };

/**
 * Files of `<root>/src` that have something to decide, each with the reason: complete tables over operations when one is new, and files
 * that spell a name which was removed, renamed or given another meaning. New optional members need no file.
 */
export async function decidingFiles(root: string, changes: readonly Change[]): Promise<string[]> {
  const reasons = [...tableReasons(changes), ...nameReasons(changes)];
  if (reasons.length === 0) return [];
  const lines: string[] = [];
  for (const file of await sources(root)) {
    const text = await readFile(join(root, file), "utf8");
    const found = reasons.filter(({ pattern }) => pattern.test(text));
    const kinds = [...new Set(found.map(({ why }) => why))];
    if (kinds.length > 0) lines.push(`${file}: ${kinds.map((why) => sentence(why, found)).join("; ")}`);
  }
  return lines;
}

interface Reason {
  readonly pattern: RegExp;
  readonly why: string;
  /** What has changed. */
  readonly path: string;
}

function sentence(why: string, reasons: readonly Reason[]): string {
  const paths = reasons.filter((reason) => reason.why === why).map(({ path }) => path);
  return `${why} ${[...new Set(paths)].join(", ")}`;
}

function tableReasons(changes: readonly Change[]): Reason[] {
  return changes
    .filter(({ kind }) => kind === "added")
    .flatMap(({ subject, path }) => {
      const type = tables[subject];
      if (type === undefined) return [];
      const pattern = new RegExp(`(?<!Partial<)Record<${type}\\b|in ${type}\\](?!\\?)|Exclude<${type},`);
      return [{ pattern, why: `has a table over every ${type}, which lacks`, path }];
    });
}

/** Files that spell the last name of a path which no longer stands for the same. */
function nameReasons(changes: readonly Change[]): Reason[] {
  return changes
    .filter(({ kind, breaking }) => kind !== "added" && breaking)
    .flatMap(({ path, text, kind }) => {
      const name =
        (kind === "renamed" ? /was (?:perhaps )?([^ ,]+)/.exec(text)?.[1]?.split(".") : path.split("."))?.at(
          -1,
        ) ?? path;
      // A plain word such as "name" or "Task" is spelled everywhere and tells nothing.
      if (!/[a-z][A-Z]|_/.test(name)) return [];
      return [{ pattern: new RegExp(`\\b${name}\\b`), why: `spells the ${kind}`, path }];
    });
}

async function sources(root: string): Promise<string[]> {
  const entries = await readdir(join(root, "src"), { recursive: true });
  return entries
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .sort();
}
