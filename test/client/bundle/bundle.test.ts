import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { createContext, runInContext } from "node:vm";
import { test } from "vitest";
import { artifact, completed } from "../../../src/index.js";
import { serveExecutor } from "../../support/peer.js";
import { bundleClient, clientScript, PARTS } from "./bundle-client.js";

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
  assert.deepEqual([...packages].sort(), ["eventsource-parser", "jose", "leven"]);
  assert.deepEqual(
    inputs.filter((path) => builtinModules.includes(path.replace("node:", ""))),
    [],
  );
  for (const [part, limits] of Object.entries(PARTS)) {
    const [size = 0, packed = 0] = [sizes.get(part), compressed.get(part)];
    assert.ok(size > 0 && size <= limits.limit + ROOM, `${part}: ${size} bytes`);
    assert.ok(packed <= limits.compressed, `${part}: ${packed} bytes compressed`);
  }
});

test("in one script the client works where there is no process, no Buffer and no require, in every version", async (t) => {
  const hello = async function* () {
    yield artifact().text("hello");
    yield completed();
  };
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
