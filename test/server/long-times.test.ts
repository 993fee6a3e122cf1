import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import { test } from "vitest";
import { LONGEST_TIMEOUT, systemClock, timeoutOf } from "../../src/async/clock.js";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { reply } from "../../src/index.js";
import { anonymous, type CallContext } from "../../src/protocol/call-context.js";
import { AgentServer } from "../../src/server/agent-server.js";
import { Quota } from "../../src/server/quota.js";
import { OpenStreams } from "../../src/server/streams/open-streams.js";
import { service } from "../support/grpc-peer.js";
import { framedMessage, PATH } from "../support/http2-frames.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

/** Longer than a timer that has overflowed, which fires after one millisecond. */
const OVERFLOWED_MS = 30;

/** Seconds that are too many milliseconds for a timer of Node. */
const LONG = [2 ** 31 / 1000, 1e9, Number.POSITIVE_INFINITY];

test("timeoutOf gives what a timer can wait", () => {
  assert.deepEqual([-1, 0, 5, 2 ** 31, Number.POSITIVE_INFINITY].map(timeoutOf), [
    ...[0, 0, 5],
    ...[LONGEST_TIMEOUT, LONGEST_TIMEOUT],
  ]);
});

for (const seconds of LONG) {
  test(`a time of ${seconds} s is waited for: in the queue for an executor, between heartbeats, by the clock`, async (t) => {
    const fired: string[] = [];
    const quota = new Quota({ what: "things", total: 1, each: 9, queue: 1, queueTime: seconds });
    const call = { principal: anonymous, address: "127.0.0.1", signal: new AbortController().signal };
    const leave = quota.take(call as CallContext);
    const entering = Promise.resolve(quota.enter(call as CallContext)).then(
      (leave) => leave(),
      () => fired.push("queue"),
    );
    const streams = new OpenStreams(seconds);
    const stream = { beat: () => fired.push("heartbeat"), stop: () => undefined };
    streams.add(stream);
    t.onTestFinished(() => streams.delete(stream));
    t.onTestFinished(systemClock.schedule(seconds * 1000, () => fired.push("clock")));
    await sleep(OVERFLOWED_MS);
    assert.deepEqual(fired, []);
    leave();
    await entering;
  });
}

test("a request time that is longer than a timer can wait does not cut a gRPC call whose message takes a while", async (t) => {
  const agent = { card: plainCard, execute: async () => reply("hello") };
  const { grpcAddress } = await serveGrpc(t, agent, { limits: { requestTime: LONG[0] } });
  const { input } = (await loadService(service)).method.sendMessage ?? assert.fail();
  const message = framedMessage(toBinary(input, messageOf(input, text("hello"))), false);
  const session = connect(`http://${grpcAddress}`);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": `${PATH}SendMessage`,
    "content-type": "application/grpc",
    "a2a-version": "1.0",
    te: "trailers",
  });
  let status: unknown;
  stream.on("trailers", (trailers) => {
    status = trailers["grpc-status"];
  });
  stream.resume().write(message.subarray(0, 9));
  await sleep(OVERFLOWED_MS);
  stream.end(message.subarray(9));
  await once(stream, "close");
  assert.equal(status, "0");
});

test("a lease time with a fraction gives a store whole milliseconds", () => {
  const agent = { card: plainCard, execute: () => reply("hi") };
  const server = new AgentServer(agent, { leaseTime: 16.1 });
  assert.equal(server.appLimits.lease.duration, 16_101);
});
