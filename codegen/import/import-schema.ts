import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { normalize } from "../normalize.js";
import { SchemaError } from "../problems.js";
import type { RunResult } from "../run.js";
import { baseOf, checkedIn } from "./checked-in.js";
import { compare } from "./compare.js";
import type { Contract } from "./contract.js";
import { decidingFiles } from "./deciding-files.js";
import { formatJson } from "./format-json.js";
import { merge } from "./merge.js";
import { ImportError, type OfficialError } from "./official.js";
import { recognise } from "./recognise.js";
import { describeChanges, section } from "./report.js";

/** What to import. */
export interface ImportOptions {
  /** Path of the artifact. */
  readonly file: string;
  /** `Major.Minor` of the folder to write. */
  readonly version: string;
  /** Errors that the text of the specification has and the artifact cannot say. */
  readonly errors?: readonly OfficialError[];
}

/**
 * Writes `<root>/schema/v<version>/` from what upstream publishes and says what changed against the version before. A file
 * that cannot be imported gives one line per reason and writes nothing.
 */
export async function importSchema(
  root: string,
  { file, version, errors = [] }: ImportOptions,
): Promise<RunResult> {
  try {
    const contracts = await checkedIn(root);
    const base = baseOf(contracts, version);
    if (base === undefined)
      throw new ImportError("schema/ holds no version from which to take what a file cannot say");
    const official = recognise(await readFile(file, "utf8")).read(base);
    const { contract, notes, decisions } = merge(official, base, version, errors);
    refuseUnusable(contract, version);
    await write(root, contract, version);
    const changes = compare(base, contract);
    return {
      lines: [
        `schema/v${version} from a ${official.form}, against ${base.schema["x-protocol-version"]}`,
        ...describeChanges(changes),
        ...section("Notes", notes),
        ...section("Decided for now", decisions),
        ...section("Files that must decide", await decidingFiles(root, changes)),
        nextStep([...contracts.keys()].at(-1) ?? "", version),
      ],
      exitCode: 0,
    };
  } catch (error) {
    if (error instanceof ImportError || error instanceof SchemaError) {
      return { lines: [`${file} cannot be imported:`, ...error.message.split("\n")], exitCode: 1 };
    }
    throw error;
  }
}

/** A later minor version of the newest one is adopted; one that is there, or of another kind, is not. */
function nextStep(newest: string, version: string): string {
  const isLater = newest.localeCompare(version, "en", { numeric: true }) < 0;
  const isMinor = isLater && newest.split(".")[0] === version.split(".")[0];
  return `next: npm run codegen, npm run docs, ${isMinor ? `npm run schema:adopt -- ${version}, ` : ""}then npm run check`;
}

/** @throws SchemaError when codegen would not take the documents */
function refuseUnusable({ schema, operations }: Contract, version: string): void {
  const folder = `v${version}`;
  const loaded = (name: string, content: unknown) => ({ file: `schema/${folder}/${name}`, content });
  normalize([
    { folder, schema: loaded("a2a.schema.json", schema), operations: loaded("operations.json", operations) },
  ]);
}

async function write(root: string, { schema, operations }: Contract, version: string): Promise<void> {
  const directory = join(root, "schema", `v${version}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "a2a.schema.json"), formatJson(schema));
  await writeFile(join(directory, "operations.json"), formatJson(operations));
}
