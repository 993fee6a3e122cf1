import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/root.js";

/** A command of a transcript and what it prints; `…` stands for anything. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands in the console blocks of a page, in order. */
export function steps(page: string): Step[] {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const end = step.indexOf("\n");
        return { command: step.slice(0, end), output: step.slice(end + 1) };
      }),
  );
}

/** Whether a line was printed as the transcript shows it. */
export function shows(expected: string, actual: string): boolean {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${expected.split("…").map(literal).join(".*")}`).test(actual);
}
