import { normalize } from "../normalize.js";
import { SchemaError } from "../problems.js";
import type { RunResult } from "../run.js";
import type { Contract } from "./contract.js";
import { decidingFiles } from "./deciding-files.js";
import { ImportError } from "./official.js";
import { openArtifact, type Question } from "./open-artifact.js";
import { describeChanges, section } from "./report.js";
import { writeContract } from "./write-contract.js";

/** What to import. */
export interface ImportOptions extends Question {
  /** `Major.Minor` of the folder to write. */
  readonly version: string;
}

/**
 * Writes `<root>/schema/v<version>/` from what upstream publishes and says what changed against the version before. A file
 * that cannot be imported gives one line per reason, writes nothing and ends with exit code 2.
 */
export async function importSchema(root: string, options: ImportOptions): Promise<RunResult> {
  const { file, version } = options;
  try {
    const { official, base, versions, merged, changes } = await openArtifact(root, options, "import");
    const { contract, notes, decisions } = merged;
    refuseUnusable(contract, version);
    await writeContract(root, contract, version);
    const against = base.schema["x-protocol-version"];
    const newest = versions.at(-1) ?? "";
    // Older versions share no table with the model: nothing in `src` has to decide anything about them.
    const files = isOlder(version, newest) ? [] : await decidingFiles(root, changes);
    return {
      lines: [
        `schema/v${version} from a ${official.form}, against ${against}`,
        ...describeChanges(changes),
        ...section("Notes", notes),
        ...section("Decided for now", decisions),
        ...section("Files that must decide", files),
        nextStep(newest, version),
      ],
      exitCode: 0,
      report: { file, version, against, changes, notes, decisions, files },
    };
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof SchemaError)) throw error;
    const reasons = error.message.split("\n");
    return { lines: [`${file} cannot be imported:`, ...reasons], exitCode: 2, report: { file, reasons } };
  }
}

function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, "en", { numeric: true }) < 0;
}

/** A later minor version of the newest one is adopted; one that is there, or of another kind, is not. */
function nextStep(newest: string, version: string): string {
  const isMinor = isOlder(newest, version) && newest.split(".")[0] === version.split(".")[0];
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
