import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "vitest";
import { program } from "../support/program.js";

/** What a store counts and what the heap holds, of one kind of content. */
interface Measured {
  readonly name: string;
  readonly counted: number;
  readonly held: number;
}

test("SEC-08: what a memory store counts is what the heap holds, whatever callers send, and the default bounds fit into 256 MiB", async () => {
  const options = ["--max-old-space-size=256", "--expose-gc"];
  const child = spawn(process.execPath, [...options, ...program("test/stores/memory-ceiling.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const measured: Measured[] = [];
  for await (const line of createInterface(child.stdout)) measured.push(JSON.parse(line));
  assert.deepEqual(await ended, [0, null]);
  assert.equal(measured.length, 17);
  for (const { name, counted, held } of measured) {
    assert.ok(held < 1.4 * counted + 2 ** 20, `${name}: ${held} bytes are held, ${counted} are counted`);
    // Texts that V8 keeps only once may be counted often.
    assert.ok(held > counted / 4, `${name}: ${counted} bytes are counted, ${held} are held`);
  }
});
