import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RunResult } from "../run.js";
import { adoptVersion } from "./adopt-version.js";
import { diffSchema } from "./diff-schema.js";
import { importSchema } from "./import-schema.js";
import { ImportError, type OfficialError } from "./official.js";

/** Entry of `npm run schema:import`, `npm run schema:adopt` and `npm run schema:diff`; see `usage`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const usage = [
  "usage: npm run schema:import -- <file> --version X.Y [--error TaskPausedError=-32010:409]...",
  "       npm run schema:adopt -- X.Y",
  "       npm run schema:diff -- <file> [--version X.Y]",
];
const wrongUse = 2;

async function run(args: readonly string[]): Promise<RunResult | undefined> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { version: { type: "string" }, error: { type: "string", multiple: true } },
  });
  const [command, file, ...others] = positionals;
  const { version } = values;
  if (file === undefined || others.length > 0 || !/^(?:\d+\.\d+)?$/.test(version ?? "")) return undefined;
  if (command === "adopt") return /^\d+\.\d+$/.test(file) ? adoptVersion(root, file) : undefined;
  if (command === "diff") return diffSchema(root, { file, ...(version !== undefined && { version }) });
  if (command !== "import" || version === undefined) return undefined;
  return importSchema(root, { file, version, errors: (values.error ?? []).map(errorOf) });
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

try {
  const result = await run(process.argv.slice(2));
  const { lines, exitCode } = result ?? { lines: usage, exitCode: wrongUse };
  (exitCode === 0 ? process.stdout : process.stderr).write(`${lines.join("\n")}\n`);
  process.exitCode = exitCode;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = wrongUse;
}
