import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { TestContext } from "vitest";
import { LineEditor } from "../../src/cli/chat/line-editor.js";
import type { Io } from "../../src/cli/output.js";
import { run } from "../../src/cli/run.js";
import { isGrpc } from "../support/hosts.js";

/** What a command line left behind. */
export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** `out` as one JSON document. */
  readonly json: any;
  /** `out` as JSON values, one per line. */
  readonly lines: any[];
}

/** Where commands of one test run: an empty folder, an empty home, no variables, and an agent if one is named. */
export class Terminal {
  readonly folder = mkdtempSync(join(tmpdir(), "parley-cli-"));
  readonly home = mkdtempSync(join(tmpdir(), "parley-home-"));
  readonly env: Record<string, string | undefined> = {};
  isTerminal = false;
  input = "";
  isInputTerminal = false;
  /** What a person types, if not the lines of `input`. */
  keyboard: (PassThrough & { isTTY: boolean }) | undefined;
  /** Everything that was shown, on both streams and by the editor of lines, in its order. */
  screen = "";
  fetch: typeof fetch = (input, init) => fetch(input, init);
  trusted = 0;
  /** Pages that were shown in a browser. */
  readonly pages: URL[] = [];
  /** Folder with a page of the inspector. */
  inspectorPage: string | undefined;
  /** Whether this machine has a browser. */
  hasBrowser = false;
  readonly interrupt = new AbortController();

  constructor(t: TestContext, agent?: string) {
    if (agent !== undefined) this.env.A2ACLI_AGENT_CARD = agent;
    if (isGrpc) this.env.A2ACLI_TRANSPORT = "GRPC";
    t.onTestFinished(() => {
      for (const folder of [this.folder, this.home]) rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Makes a person sit at this terminal: what the test types is read as keys. */
  sitDown(): PassThrough {
    this.isTerminal = this.isInputTerminal = true;
    this.keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    return this.keyboard;
  }

  /** Waits until something is shown after a place on the screen; the place after it. */
  async shows(what: string | RegExp, after = 0): Promise<number> {
    for (const started = Date.now(); ; await setTimeout(5)) {
      const rest = this.screen.slice(after);
      const found = typeof what === "string" ? rest.indexOf(what) : rest.search(what);
      const length = typeof what === "string" ? what.length : (what.exec(rest)?.[0].length ?? 0);
      if (found >= 0) return after + found + length;
      if (Date.now() - started > 20_000) throw new Error(`${what} is not shown: ${JSON.stringify(rest)}`);
    }
  }

  /** Runs a command line in this process. */
  async parley(...line: string[]): Promise<Outcome> {
    return this.watch(() => undefined, ...line);
  }

  /** Runs a command line and tells of its output as it comes. */
  async watch(told: (out: string) => void, ...line: string[]): Promise<Outcome> {
    let out = "";
    let err = "";
    const io: Io = {
      env: this.env,
      folder: this.folder,
      home: this.home,
      out: (text) => {
        out += text;
        this.screen += text;
        told(out);
      },
      err: (text) => {
        err += text;
        this.screen += text;
      },
      isTerminal: this.isTerminal,
      readInput: async () => this.input,
      readLines: () => linesOf(this.input),
      isInputTerminal: this.isInputTerminal,
      isOutputTerminal: this.isTerminal,
      edit: () =>
        new LineEditor({
          input: this.keyboard ?? Readable.from([this.input]),
          output: Object.assign(
            new Writable({
              write: (chunk, _, done) => {
                err += chunk;
                this.screen += chunk;
                done();
              },
            }),
            { isTTY: this.isTerminal, columns: 80 },
          ),
        }),
      open: (page) => {
        if (this.hasBrowser) this.pages.push(page);
        return this.hasBrowser;
      },
      lookup: async (host) => {
        if (host.endsWith("not-a-url")) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
      },
      inspectorPage: this.inspectorPage,
      signal: this.interrupt.signal,
      fetch: this.fetch,
      trustAnyCertificate: () => {
        this.trusted += 1;
      },
    };
    const exit = await run(line, io);
    return {
      exit,
      out,
      err,
      get json() {
        return JSON.parse(out);
      },
      get lines() {
        return out
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
      },
    };
  }
}

async function* linesOf(input: string): AsyncGenerator<string> {
  yield* input.split("\n").slice(0, input.endsWith("\n") ? -1 : undefined);
}
