import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, type Executor, working } from "../../src/index.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";

const execute: Executor = async function* () {
  yield working();
  yield completed();
};

/** A logger that keeps the lines of requests, and says whether it wants them. */
function noting(isOn?: boolean) {
  const lines: Record<string, unknown>[] = [];
  const ignore = () => undefined;
  const logger = {
    debug: (facts: object, said: string) => {
      if (said === "Answered a request") lines.push({ ...facts });
    },
    info: ignore,
    warn: ignore,
    error: ignore,
    ...(isOn !== undefined && { isLevelEnabled: () => isOn }),
  };
  return { lines, logger };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("each request is a line at debug once its answer has left: what was asked, what came of it, how long it took", async (t) => {
  const { lines, logger } = noting();
  const { url, rpc, rest } = await serveFor(t, { card: plainCard, execute }, { logger });
  await rpc.call("SendMessage", text("go"));
  await rest.call("GetTask", { id: "none" });
  await collect(rest.stream("SendStreamingMessage", text("go")));
  await rpc.call("Nothing", {});
  await (await fetch(`${url}/healthz?key=secret`)).text();
  await until(() => lines.length === 5);
  const told = lines.map(({ method, path, status, operation, code }) => [
    method,
    path,
    status,
    operation,
    code,
  ]);
  assert.deepEqual(told, [
    ["POST", "/", 200, "SendMessage", undefined],
    ["GET", "/tasks/none", 404, "GetTask", "TASK_NOT_FOUND"],
    ["POST", "/message:stream", 200, "SendStreamingMessage", undefined],
    ["POST", "/", 200, undefined, "METHOD_NOT_FOUND"],
    ["GET", "/healthz", 200, undefined, undefined],
  ]);
  for (const { agent, seconds, address, cut } of lines) {
    assert.equal(agent, "Test agent");
    assert.ok(typeof seconds === "number" && seconds >= 0 && seconds < 60);
    assert.match(String(address), /127\.0\.0\.1/);
    assert.equal(cut, undefined);
  }
  assert.ok(!JSON.stringify(lines).includes("secret"));
});

test("the line of a caller who leaves says so", async (t) => {
  const { lines, logger } = noting();
  const waiting: Executor = async function* ({ signal }) {
    yield working();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const { rest } = await serveFor(t, { card: plainCard, execute: waiting }, { logger });
  const stop = new AbortController();
  const stream = rest.stream("SendStreamingMessage", text("go"), { signal: stop.signal });
  await stream.next();
  stop.abort();
  await stream.next().catch(() => undefined);
  await until(() => lines.length === 1);
  assert.equal(lines[0]?.cut, true);
});

test("a logger that does not want them is not called", async (t) => {
  const { lines, logger } = noting(false);
  const { rpc } = await serveFor(t, { card: plainCard, execute }, { logger });
  await rpc.call("SendMessage", text("go"));
  assert.deepEqual(lines, []);
});
