import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { format } from "node:util";
import { moduleUrl } from "../support/program.js";

const folder = new URL("../../examples/", import.meta.url);
let plays = 0;

/** Runs the program of an example in this process, from the beginning to its end. */
export async function play(t: TestContext, name: string, ...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const log = t.mock.method(console, "log", (...values: unknown[]) =>
    lines.push(...linesOf(format(...values))),
  );
  const { argv } = process;
  process.argv = [...argv.slice(0, 1), `examples/${name}/main.ts`, ...words];
  try {
    await import(`${moduleUrl(`examples/${name}/main.ts`)}?play=${++plays}`);
  } finally {
    process.argv = argv;
    log.mock.restore();
  }
  return lines;
}

/** What the README of an example says that is printed. */
export function shown(name: string): string[] {
  const page = readFileSync(new URL(`${name}/README.md`, folder), "utf8");
  const [, command, output = ""] = /^```console\n\$ (.*?)\n(.*?)\n```$/ms.exec(page) ?? [];
  if (command !== `npm run -s example ${name}`) throw new Error(`${name}: the command is ${command}`);
  return linesOf(output);
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trimEnd());
}
