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

/** Of a test that several projects run, with different bindings or hosts, the status that counts: it may be skipped in one of them. */
const weights = { skip: 0, pass: 1, fail: 2 } as const;

/** The tests of a run, from the file that vitest's JSON reporter has written; none without such a file. */
export function ranTests(file: string): RanTest[] {
  if (!existsSync(file)) return [];
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as RunReport;
  const tests = new Map<string, RanTest>();
  for (const { name: path, assertionResults } of testResults) {
    for (const { title, status } of assertionResults) {
      const test: RanTest = {
        name: title,
        file: relative(root, path).replaceAll("\\", "/"),
        status: status === "passed" ? "pass" : status === "failed" ? "fail" : "skip",
      };
      const key = `${test.file} ${title}`;
      const known = tests.get(key);
      if (known === undefined || weights[known.status] < weights[test.status]) tests.set(key, test);
    }
  }
  return [...tests.values()];
}
