import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RunResult } from "../run.js";
import { isVersion } from "../version-order.js";
import { adoptVersion } from "./adopt-version.js";
import { diffSchema } from "./diff-schema.js";
import { restored, restoreFiles } from "./file-changes.js";
import { importSchema } from "./import-schema.js";
import { ImportError, type OfficialError } from "./official.js";

/** Entry of `npm run schema:import`, `npm run schema:adopt` and `npm run schema:diff`; see `usage`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const usage = [
  "usage: npm run schema:import -- <file> --version X.Y [options]",
  "       npm run schema:adopt -- X.Y",
  "       npm run schema:diff -- <file> [--version X.Y] [--base X.Y] [--json] [--force]",
];
const help = [
  ...usage,
  "",
  "  --version X.Y                          version that the file is of, or X.Y-draft; diff finds it out",
  "  --base X.Y                             version to compare with; by default --version or, for an import, the newest before it",
  "  --text specification.md                the text of the same version: tables of errors and methods, sentences with MUST or SHOULD",
  "  --base-text specification.md           the text of the version to compare with, where no import has read it",
  "  --error TaskPausedError=-32010:409     an error that only the text of the specification has; may be repeated",
  "  --fallback TaskState.OLD=NEW           what a new value counts as, or what takes the place of one that is gone",
  "  --force                                read a file that may not be the one that was meant",
  "  --json                                 one JSON document on standard output",
  "  --help                                 this text",
  "",
  "The file is a2a.proto, the JSON Schema bundle of 1.x, or the JSON Schema of 0.1 to 0.3.",
  "Exit codes: 0 all is well, 1 something differs, 2 the file cannot be compared or imported, or wrong use.",
];
const wrongUse = 2;

interface Outcome {
  readonly json: boolean;
  readonly result: RunResult;
}

/** An invalid command line. */
class WrongUse extends Error {}

async function run(args: readonly string[]): Promise<Outcome> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      version: { type: "string" },
      base: { type: "string" },
      text: { type: "string" },
      "base-text": { type: "string" },
      error: { type: "string", multiple: true },
      fallback: { type: "string", multiple: true },
      force: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { version, base, force, json, text, "base-text": baseText } = values;
  if (values.help) return { json: false, result: { lines: help, exitCode: 0 } };
  const [command, file, ...others] = positionals;
  if (command !== "import" && command !== "adopt" && command !== "diff")
    throw new WrongUse("the command is import, adopt or diff");
  if (file === undefined)
    throw new WrongUse(`${command} takes ${command === "adopt" ? "a version" : "a file"}`);
  if (others.length > 0) throw new WrongUse(`unexpected arguments: ${others.join(" ")}`);
  for (const given of [version, base, command === "adopt" ? file : undefined]) {
    if (given !== undefined && !isVersion(given))
      throw new WrongUse(`a version is written 1.1 or 1.1-draft, not "${given}"`);
  }
  const question = {
    file,
    force,
    ...(base !== undefined && { base }),
    ...(text !== undefined && { text }),
    ...(baseText !== undefined && { baseText }),
  };
  if (command === "adopt") return { json, result: await adoptVersion(root, file) };
  if (command === "diff") {
    return {
      json,
      result: await diffSchema(root, { ...question, ...(version !== undefined && { version }) }),
    };
  }
  if (version === undefined)
    throw new WrongUse("import needs --version X.Y: the version that the file is of");
  const errors = (values.error ?? []).map(errorOf);
  const fallbacks = new Map((values.fallback ?? []).map(fallbackOf));
  return { json, result: await importSchema(root, { ...question, version, errors, fallbacks }) };
}

/** An error as it is named on the command line: name, JSON-RPC code and, after a colon, HTTP status. */
function errorOf(text: string): OfficialError {
  const [, name = "", code, status] = /^([A-Z]\w*Error)=(-32\d{3})(?::([45]\d\d))?$/.exec(text) ?? [];
  if (code === undefined)
    throw new ImportError(`--error takes Name=-32010 or Name=-32010:409, not "${text}"`);
  return {
    name,
    jsonRpcCode: Number(code),
    message: undefined,
    ...(status !== undefined && { httpStatus: Number(status) }),
  };
}

/** A value of an enum and the one that it counts as. */
function fallbackOf(text: string): [string, string] {
  const [, value, fallback] = /^([A-Z]\w*\.[\w-]+)=([\w-]+)$/.exec(text) ?? [];
  if (value === undefined || fallback === undefined)
    throw new ImportError(`--fallback takes Enum.VALUE=OTHER, not "${text}"`);
  return [value, fallback];
}

try {
  if ((await restoreFiles(root)) > 0) process.stderr.write(restored);
  const { result, json } = await run(process.argv.slice(2));
  if (json)
    process.stdout.write(`${JSON.stringify({ ...result.report, exitCode: result.exitCode }, null, 2)}\n`);
  else (result.exitCode === 2 ? process.stderr : process.stdout).write(`${result.lines.join("\n")}\n`);
  process.exitCode = result.exitCode;
} catch (error) {
  const { message, code = "", path } = error as NodeJS.ErrnoException;
  if (error instanceof WrongUse || code.startsWith("ERR_PARSE_ARGS")) {
    // Only the first sentence of Node's message names the fault. The others give advice that does not fit here.
    process.stderr.write(`${message.split(". ")[0]}\n${usage.join("\n")}\n--help lists the options\n`);
  } else if (code === "ENOENT" && path !== undefined) process.stderr.write(`${path} is not there\n`);
  else if (code === "EISDIR") process.stderr.write("a folder was given: name the file in it\n");
  else process.stderr.write(`${error instanceof Error ? message : String(error)}\n`);
  process.exitCode = wrongUse;
}
