import { readTree, type SourceFile } from "../invariants/source-file.js";
import { groupOf } from "./register.js";

/** A test of the last run. */
export interface RanTest {
  readonly name: string;
  /** Path of the test file. */
  readonly file: string;
  readonly status: "pass" | "fail" | "skip";
}

const id = "[A-Z]+(?:-[A-Z]+)*-\\d\\d";
const citation = new RegExp(`^(${id}(?:, ${id})*): \\S`);
const startsWithId = new RegExp(`^${id}\\b`);
const anyId = new RegExp(`(?<![\\w-])${id}(?![\\w-])`, "g");

/**
 * The requirements that the name of a test cites: ids at its beginning, each written in full, separated by a comma
 * and a space, ended by a colon (`OP-SEND-04, TASK-02: a terminal task stays as it is`).
 *
 * @returns the ids, none when the name cites nothing, or what is wrong with the citation: one that is not in this
 *   form would otherwise count as no citation at all.
 */
export function citedBy(name: string, known: ReadonlySet<string>): { ids: string[]; problem?: string } {
  const prefix = citation.exec(name)?.[1];
  if (prefix === undefined && startsWithId.test(name)) {
    return { ids: [], problem: 'not in the form "ID: …" or "ID, ID: …"' };
  }
  const ids = prefix?.split(", ") ?? [];
  const unknown = ids.filter((one) => !known.has(one));
  if (unknown.length > 0) return { ids: [], problem: `not in the register: ${unknown.join(", ")}` };
  const rest = name.slice(prefix?.length ?? 0).match(anyId) ?? [];
  const uncounted = rest.filter((one) => known.has(one));
  if (uncounted.length > 0) return { ids, problem: `cited after the beginning: ${uncounted.join(", ")}` };
  return { ids };
}

/** The beginning of a string that cites in the form of a test's name. */
const citingString = new RegExp(`(?<=["'\`])${id}(?:, ${id})*(?=: )`, "g");

/** The files that cite requirements: tests, conformance checks and the store contract. */
export function citingFiles(): SourceFile[] {
  return readTree("test", "src/conformance", "src/testing").filter(
    // Its sample trees cite ids that no row has.
    ({ path }) => path !== "test/requirements/requirements.test.ts",
  );
}

/**
 * The ids in a source text that no row has: those of a group that the register knows, wherever they stand, and those at the
 * beginning of a test's name, whatever their group.
 *
 * @returns one line for each, `path:line: id`.
 */
export function unknownCitations(files: readonly SourceFile[], known: ReadonlySet<string>): string[] {
  const groups = new Set([...known].map(groupOf));
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const named = (line.match(citingString) ?? []).flatMap((ids) => ids.split(", "));
      const grouped = (line.match(anyId) ?? []).filter((one) => groups.has(groupOf(one)));
      return [...new Set([...named, ...grouped])]
        .filter((one) => !known.has(one))
        .map((one) => `${path}:${index + 1}: ${one}`);
    }),
  );
}
