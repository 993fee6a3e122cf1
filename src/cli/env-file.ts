import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileFailure } from "./failure.js";
import type { Option } from "./options.js";
import type { Io } from "./output.js";
import { type ValueSource, variableOf } from "./values.js";

/** Files with settings. */
export interface EnvFiles {
  /** Sources in the order of precedence. */
  readonly sources: readonly ValueSource[];
  readonly warnings: readonly string[];
}

const GLOBAL = join(".config", "a2a-cli", ".env");
const LINE = /^\s*(?:export\s+)?(A2ACLI_[A-Z0-9_]+)\s*=\s*(.*?)\s*$/;

/** The variables of options whose values are secret. */
export function secretVariables(options: readonly Option[]): ReadonlySet<string> {
  return new Set(options.filter(({ secret }) => secret).map(variableOf));
}

/**
 * Reads the settings files: the given one, or else the first `.env` from the working folder upwards; then the global one.
 * @param given path of `--config`
 * @param secrets variables with credentials, for the warning about a file that other users can read
 * @throws Failure when the given file cannot be read
 */
export function readEnvFiles(io: Io, given: string | undefined, secrets: ReadonlySet<string>): EnvFiles {
  const local = given === undefined ? nearest(io.folder) : resolve(io.folder, given);
  const paths = [...new Set([...(local === undefined ? [] : [local]), join(io.home, GLOBAL)])];
  const sources: ValueSource[] = [];
  const warnings: string[] = [];
  for (const path of paths) {
    const text = read(path);
    if (text === undefined) {
      if (given !== undefined && path === local) throw fileFailure(`${given} cannot be read`);
      continue;
    }
    const variables = variablesIn(text);
    sources.push({ path, variables });
    if (Object.keys(variables).some((name) => secrets.has(name)) && isReadableByOthers(path))
      warnings.push(`others can read the credentials in ${path}: chmod 600 it`);
  }
  return { sources, warnings };
}

function nearest(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, ".env");
    if (read(path) !== undefined) return path;
    if (dirname(at) === at) return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether other users of the machine can read a file; false if it does not exist. Windows has no permission bits. */
export function isReadableByOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return process.platform !== "win32" && found !== undefined && (found.mode & 0o077) !== 0;
}

function variablesIn(text: string): Record<string, string> {
  const found = text.split("\n").flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquoted(value)] as const];
  });
  return Object.fromEntries(found);
}

/** A value without its quotes and without the comment after it. */
function unquoted(value: string): string {
  const [, , inner] = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(value) ?? [];
  return inner ?? value.replace(/\s+#.*$/, "");
}
