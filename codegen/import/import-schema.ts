import { SchemaError } from "../problems.js";
import type { RunResult } from "../run.js";
import { compareVersions, isDraft, majorOf, newestOf, predecessorOf } from "../version-order.js";
import { textFile } from "./checked-in.js";
import { specOf } from "./contract-spec.js";
import { decidingFiles } from "./deciding-files.js";
import { FileChanges } from "./file-changes.js";
import { formatJson } from "./format-json.js";
import { ImportError } from "./official.js";
import { openArtifact, type Question } from "./open-artifact.js";
import { describeChanges, section } from "./report.js";
import { writeContract } from "./write-contract.js";
import { decisionsFile, writeDecisions } from "./write-decisions.js";

/** Options of {@link importSchema}. */
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
    const { official, base, contracts, merged, changes, told } = await openArtifact(root, options, "import");
    const { contract, notes, decisions } = merged;
    const spec = specOf(contract, version);
    const files = new FileChanges(root);
    await writeContract(files, contract, version);
    if (told !== undefined) files.write(`schema/v${version}/${textFile}`, formatJson({ rules: told.rules }));
    const against = base.schema["x-protocol-version"];
    const newest = newestOf(contracts.keys()) ?? "";
    const isOld = compareVersions(version, newest) < 0;
    // Older versions have no tables in common with the model, so nothing in `src` must decide about them.
    const deciding = isOld || isDraft(version) ? [] : await decidingFiles(root, changes);
    const before = contracts.get(predecessorOf(version, contracts.keys()) ?? "");
    const undecided =
      before !== undefined && !isOld
        ? await writeDecisions(files, spec, specOf(before, before.schema["x-protocol-version"]))
        : [];
    await files.commit();
    return {
      lines: [
        `schema/v${version} from a ${official.form}, against ${against}`,
        ...describeChanges(changes),
        ...(told?.lines ?? []),
        ...section("Notes", notes),
        ...section("Decided for now", decisions),
        ...section(`Undecided in ${decisionsFile(version)}`, undecided),
        ...section("Files that must decide", deciding),
        nextStep(newest, version),
      ],
      exitCode: 0,
      report: {
        file,
        version,
        against,
        changes,
        notes,
        decisions,
        undecided,
        files: deciding,
        ...(told && { text: told.lines }),
      },
    };
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof SchemaError)) throw error;
    const reasons = error.message.split("\n");
    return { lines: [`${file} cannot be imported:`, ...reasons], exitCode: 2, report: { file, reasons } };
  }
}

/** A later minor version of the newest one is adopted; one that is there, or of another kind, is not. */
function nextStep(newest: string, version: string): string {
  const isMinor = compareVersions(newest, version) < 0 && majorOf(newest) === majorOf(version);
  return `next: npm run codegen, ${isMinor ? `npm run schema:adopt -- ${version}, ` : ""}npm run docs, then npm run check`;
}
