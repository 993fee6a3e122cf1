import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { test } from "vitest";
import { completed } from "../../src/index.js";
import { gauges } from "../support/gauges.js";
import { PATH } from "../support/http2-frames.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

test("SEC-08: with trustProxy, a message counts for the address that the proxy reports", async (t) => {
  const { telemetry, read } = gauges();
  const execute = async function* () {
    yield completed();
  };
  const { grpcAddress, grpc } = await serveGrpc(
    t,
    { card: plainCard, execute },
    { trustProxy: true, telemetry, limits: { bodiesPerAddress: 500_000 } },
  );
  const session = connectHttp2(`http://${grpcAddress}`);
  t.onTestFinished(() => session.destroy());
  const unfinished = session.request({
    ":method": "POST",
    ":path": `${PATH}SendMessage`,
    "content-type": "application/grpc",
    te: "trailers",
    "x-forwarded-for": "192.0.2.1",
  });
  unfinished.on("error", () => undefined);
  unfinished.write(Buffer.alloc(300_000));
  while ((await read())["a2a.server.received"] < 300_000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const send = async (address: string) =>
    (await grpc.call("SendMessage", text("x".repeat(300_000)), { "x-forwarded-for": address })).error;
  assert.equal(await send("192.0.2.1"), "RATE_LIMITED");
  assert.equal(await send("192.0.2.2"), undefined);
});
