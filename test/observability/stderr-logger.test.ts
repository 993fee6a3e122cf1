import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { stderrLogger } from "../../src/observability/stderr-logger.js";
import { serveExecutor, text } from "../support/peer.js";

function written(log: (logger: ReturnType<typeof stderrLogger>) => void): string {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  log(stderrLogger());
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  return text;
}

test("warnings and errors are written on one line each, with their facts, and nothing else is", () => {
  const text = written((logger) => {
    logger.debug({}, "debug");
    logger.info({}, "info");
    logger.warn({ taskId: "t1", seconds: 3, none: undefined }, "Too slow");
    logger.error({}, "Failed");
  });
  assert.match(
    text,
    /^\d\d:\d\d:\d\d WARN {2}Too slow taskId="t1" seconds=3 none=undefined\n\d\d:\d\d:\d\d ERROR Failed\n$/,
  );
});

test("an error follows its line with its stack and its cause", () => {
  const err = new Error("Not stored", { cause: new TypeError("disk full") });
  const text = written((logger) => logger.error({ err }, "The executor failed"));
  assert.match(text, /ERROR The executor failed\n {2}Error: Not stored\n {6}at .*stderr-logger\.test/);
  assert.match(text, /\[cause\]: TypeError: disk full/);
});

test("a caller's text cannot control the terminal, nor fill it", () => {
  const err = new Error(`\u001b[2J${"x".repeat(100_000)}`);
  const text = written((logger) => logger.warn({ err, name: "\u001b[31m".repeat(1000) }, "A\u0007bell"));
  assert.ok([...text].every((one) => one >= " " || one === "\n"));
  assert.ok(text.length < 20_000, `${text.length} characters`);
  assert.match(text, /A\\u0007bell/);
});

test("a server without a logger prints what an executor threw, and its caller learns nothing of it", async (t) => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const printed = () => write.mock.calls.map(([chunk]) => String(chunk)).join("");
  const boom = async () => {
    throw new Error("the key is wrong");
  };
  const { rpc } = await serveExecutor(t, boom);
  const { result } = await rpc.call("SendMessage", text("hello"));
  assert.match(
    printed(),
    /ERROR The executor failed taskId=".*"\n {2}Error: the key is wrong\n {6}at .*boom/,
  );
  assert.doesNotMatch(JSON.stringify(result), /the key is wrong/);
  write.mockClear();
  const { rpc: quiet } = await serveExecutor(t, boom, { logger: false });
  await quiet.call("SendMessage", text("hello"));
  assert.equal(printed(), "");
});
