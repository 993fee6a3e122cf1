import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { type TestContext, test } from "vitest";
import { artifact, completed } from "../../../src/index.js";
import { countsGenerations, newestClientVersion } from "../../../src/versions/client-codecs.js";
import { serveExecutor } from "../../support/peer.js";
import { bundleClient, clientScript, PARTS } from "./bundle-client.js";

async function* hello() {
  yield artifact().text("hello");
  yield completed();
}

/** What browsers, workers and edge runtimes have in common, and nothing of Node. */
const webGlobals = {
  AbortController,
  AbortSignal,
  atob,
  btoa,
  clearTimeout,
  crypto,
  fetch,
  Headers,
  ReadableStream,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

/** Runs the program of the bundle in a process of its own, and says which chunks that has loaded. */
async function chunksLoadedFor(t: TestContext, url: string): Promise<{ loaded: string[]; first: string[] }> {
  const { files, first, entry } = await bundleClient("(globalThis.chunks ??= []).push(import.meta.url);");
  const folder = await mkdtemp(join(tmpdir(), "parley-bundle-"));
  t.onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const [name, contents] of files) await writeFile(join(folder, name), contents);
  const script = `const { firstCalls } = await import(${JSON.stringify(pathToFileURL(join(folder, entry)))});
const { task, events } = await firstCalls(${JSON.stringify(url)});
console.log(JSON.stringify({ state: task.status.state, events: events.length, chunks }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const { state, events, chunks } = JSON.parse(stdout);
  assert.equal(state, "TASK_STATE_COMPLETED");
  assert.ok(events > 1, `${events} events`);
  const names: string[] = chunks.map((chunk: string) => basename(chunk)).sort();
  // With a version that has generations, streams are checked by them.
  const loaded = countsGenerations(newestClientVersion)
    ? names.filter((name) => !name.startsWith("count-generations-"))
    : names;
  return { loaded, first: [...first].sort() };
}

/** What a minor version may add, in bytes, before `npm run check:client-size` is asked: the drill of an update runs this test. */
const ROOM = 1_500;

test("the client bundles for browsers without server code, Koa or modules of Node, within its size", async () => {
  const { inputs, externals, sizes, compressed } = await bundleClient();
  assert.deepEqual(externals, []);
  const folders = new Set(inputs.flatMap((path) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []));
  assert.deepEqual([...folders].sort(), [
    "agent",
    "async",
    "card",
    "client",
    "collections",
    "json",
    "net",
    "protocol",
    "runtime",
    "task-log",
    "versions",
  ]);
  const packages = new Set(
    inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  assert.deepEqual([...packages].sort(), ["jose", "leven"]);
  assert.deepEqual(
    inputs.filter((path) => builtinModules.includes(path.replace("node:", ""))),
    [],
  );
  for (const [part, limits] of Object.entries(PARTS)) {
    const [size = 0, packed = 0] = [sizes.get(part), compressed.get(part)];
    assert.ok(size > 0 && size <= limits.limit + ROOM, `${part}: ${size} bytes`);
    assert.ok(packed <= limits.compressed + ROOM / 3, `${part}: ${packed} bytes compressed`);
  }
});

test("to connect, send and stream over JSON-RPC a client loads what counts as the first calls, and nothing else", async (t) => {
  const { url } = await serveExecutor(t, hello, { bindings: ["JSONRPC"] });
  const { loaded, first } = await chunksLoadedFor(t, url);
  assert.deepEqual(loaded, first);
});

test("with an agent that speaks HTTP+JSON, it loads that transport too", async (t) => {
  const { url } = await serveExecutor(t, hello, { bindings: ["HTTP+JSON"] });
  const { loaded, first } = await chunksLoadedFor(t, url);
  assert.ok(loaded.length > first.length);
  assert.deepEqual(loaded.filter((chunk) => first.includes(chunk)).sort(), first);
});

test("in one script the client works where there is no process, no Buffer and no require, in every version", async (t) => {
  const context = createContext({ ...webGlobals });
  runInContext(await clientScript("parley"), context);
  assert.equal(
    runInContext("typeof process + typeof Buffer + typeof require", context),
    "undefinedundefinedundefined",
  );
  for (const version of ["1.0", "0.3", "0.1"] as const) {
    const { url } = await serveExecutor(t, hello, { versions: [version], bindings: ["JSONRPC"] });
    const script = `(async () => {
      const client = await parley.connect(${JSON.stringify(url)});
      const { task } = await client.sendText("hi");
      const stream = client.stream("hi");
      const { task: streamed } = await stream.result();
      return JSON.stringify([task, streamed].map(({ artifacts }) => parley.textOf(artifacts[0])));
    })()`;
    assert.deepEqual(JSON.parse(await runInContext(script, context)), ["hello", "hello"], version);
  }
});
