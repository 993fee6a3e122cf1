import type { RunResult } from "../run.js";
import { ImportError } from "./official.js";
import { openArtifact, type Question } from "./open-artifact.js";
import { describeChanges } from "./report.js";

/** What to compare. */
export type DiffOptions = Pick<Question, "file" | "version" | "base" | "force" | "text" | "baseText">;

/**
 * Compares an official artifact with a version that is checked in; any difference ends with exit code 1, a file that cannot be
 * compared with 2. What the artifact cannot say is no difference.
 */
export async function diffSchema(root: string, options: DiffOptions): Promise<RunResult> {
  const { file } = options;
  try {
    const { base, changes, told } = await openArtifact(root, options, "compare");
    const against = base.schema["x-protocol-version"];
    return {
      lines: [`${file} against schema/v${against}`, ...describeChanges(changes), ...(told?.lines ?? [])],
      exitCode: changes.length === 0 ? 0 : 1,
      report: { file, against, changes, ...(told && { text: told.lines }) },
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const reasons = error.message.split("\n");
    return { lines: [`${file} cannot be compared:`, ...reasons], exitCode: 2, report: { file, reasons } };
  }
}
