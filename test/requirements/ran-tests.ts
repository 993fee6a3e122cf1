import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { root } from "../support/root.js";
import type { RanTest } from "./citations.js";

/** What vitest's JSON reporter writes, as far as it is read here. */
interface RunReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** The tests of a run, from the file that vitest's JSON reporter has written; none without such a file. */
export function ranTests(file: string): RanTest[] {
  if (!existsSync(file)) return [];
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as RunReport;
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({
      name: title,
      file: relative(root, name).replaceAll("\\", "/"),
      status: status === "passed" ? "pass" : status === "failed" ? "fail" : "skip",
    })),
  );
}
