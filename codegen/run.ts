import { compareOutputs, describeComparison } from "./check.js";
import { emit } from "./emit.js";
import { loadVersions } from "./load.js";
import { normalize } from "./normalize.js";
import { SchemaError } from "./problems.js";
import { writeOutputs } from "./write.js";

/** The result of a run: lines to print and the exit code. */
export interface RunResult {
  readonly lines: readonly string[];
  /** 0 for success, 1 for a difference, 2 for a failure. */
  readonly exitCode: 0 | 1 | 2;
  /** The result as data, for `--json`. */
  readonly report?: object;
}

/**
 * Generates `<root>/generated` from `<root>/schema`, or only compares them if `check` is set. For an invalid schema nothing is
 * written, and the result has one line per problem.
 */
export async function run(root: string, { check }: { readonly check: boolean }): Promise<RunResult> {
  try {
    const outputs = await emit(normalize(await loadVersions(root)));
    if (check) {
      const lines = describeComparison(await compareOutputs(root, outputs));
      if (lines.length === 0)
        return { lines: [`generated/ is up to date (${outputs.size} files)`], exitCode: 0 };
      return { lines: [...lines, "run npm run codegen and commit the result"], exitCode: 1 };
    }
    const { written, removed } = await writeOutputs(root, outputs);
    const changes = [
      ...written.map((file) => `wrote generated/${file}`),
      ...removed.map((file) => `removed generated/${file}`),
    ];
    return { lines: changes.length > 0 ? changes : [`nothing to do (${outputs.size} files)`], exitCode: 0 };
  } catch (error) {
    if (error instanceof SchemaError) return { lines: error.message.split("\n"), exitCode: 1 };
    throw error;
  }
}
