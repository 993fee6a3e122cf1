import { lookup } from "node:dns/promises";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { LineEditor } from "./chat/line-editor.js";
import { exits } from "./failure.js";
import { openInBrowser } from "./open-in-browser.js";
import { run } from "./run.js";

/** Runs the command line of this process, and sets its exit code. */
export async function start(): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // Only once: a second Ctrl+C ends the process at once.
    process.once(signal, () => interrupt.abort());
  }
  // The reader of the output has closed the pipe: `parley task list | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exits.done);
    throw error;
  });

  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    folder: process.cwd(),
    home: homedir(),
    out: (payload) => void process.stdout.write(payload),
    err: (diagnostic) => void process.stderr.write(diagnostic),
    isTerminal: process.stderr.isTTY === true,
    readInput: () => text(process.stdin),
    readLines: (signal) => createInterface({ input: process.stdin, signal }),
    isInputTerminal: process.stdin.isTTY === true,
    isOutputTerminal: process.stdout.isTTY === true,
    edit: () => new LineEditor({ input: process.stdin, output: process.stderr }),
    open: openInBrowser,
    lookup: (host) => lookup(host),
    signal: interrupt.signal,
    fetch: (input, init) => fetch(input, init),
    trustAnyCertificate: () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    },
  });
}
