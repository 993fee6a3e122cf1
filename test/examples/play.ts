import { readFileSync } from "node:fs";
import { format } from "node:util";
import { vi } from "vitest";

const folder = new URL("../../examples/", import.meta.url);
let plays = 0;

/** Runs the program of an example in this process, from the beginning to its end. */
export async function play(name: string, ...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const log = vi
    .spyOn(console, "log")
    .mockImplementation((...values: unknown[]) => lines.push(...linesOf(format(...values))));
  const { argv } = process;
  process.argv = [...argv.slice(0, 1), `examples/${name}/main.ts`, ...words];
  try {
    await import(`${new URL(`${name}/main.ts`, folder).href}?play=${++plays}`);
  } finally {
    process.argv = argv;
    log.mockRestore();
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
