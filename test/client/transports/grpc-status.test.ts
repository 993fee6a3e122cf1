import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { connect, RemoteError } from "../../../src/client/index.js";
import { cardOf } from "../scripted.js";

/** An agent that answers every call with a status. */
async function refusing(t: TestContext, trailers: Record<string, string>) {
  const server = createServer((req, res) => {
    req.resume();
    res.writeHead(200, { "content-type": "application/grpc+proto" });
    res.addTrailers(trailers);
    res.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const entry = { url: `127.0.0.1:${port}`, protocolBinding: "GRPC", protocolVersion: "1.0" };
  return connect({ ...cardOf(), supportedInterfaces: [entry] }, { retry: false });
}

test("G-36: statuses without details, with foreign and with broken ones are told by their number", async (t) => {
  const cases: [trailers: Record<string, string>, code: string][] = [
    [{ "grpc-status": String(grpc.status.NOT_FOUND) }, "TASK_NOT_FOUND"],
    [{ "grpc-status": String(grpc.status.UNAUTHENTICATED) }, "UNAUTHENTICATED"],
    [{ "grpc-status": String(grpc.status.PERMISSION_DENIED) }, "PERMISSION_DENIED"],
    [{ "grpc-status": String(grpc.status.RESOURCE_EXHAUSTED) }, "RATE_LIMITED"],
    [{ "grpc-status": String(grpc.status.UNAVAILABLE) }, "UNAVAILABLE"],
    [{ "grpc-status": String(grpc.status.UNIMPLEMENTED) }, "METHOD_NOT_FOUND"],
    [{ "grpc-status": String(grpc.status.FAILED_PRECONDITION) }, "BAD_REQUEST"],
    [{ "grpc-status": String(grpc.status.INTERNAL) }, "INTERNAL_ERROR"],
    [{ "grpc-status": String(grpc.status.UNKNOWN), "grpc-message": "odd" }, "INTERNAL_ERROR"],
    [{ "grpc-status": String(grpc.status.NOT_FOUND), "grpc-status-details-bin": "%%%" }, "INTERNAL_ERROR"],
    // How Google's libraries for Node, Python, Go and Java and Connect say that a message is too large.
    ...[
      "Received message larger than max (5000000 vs. 4194304)",
      "Received message larger than max (5000000 vs. 4194304)",
      "grpc: received message larger than max (5000000 vs. 4194304)",
      "gRPC message exceeds maximum size 4194304: 5000000",
      "message size 5000000 is larger than configured readMaxBytes 4194304",
    ].map((text): [Record<string, string>, string] => [
      { "grpc-status": String(grpc.status.RESOURCE_EXHAUSTED), "grpc-message": encodeURIComponent(text) },
      "REQUEST_TOO_LARGE",
    ]),
  ];
  for (const [trailers, code] of cases) {
    const client = await refusing(t, trailers);
    const error = await client.getTask({ id: "t" }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof RemoteError, `${JSON.stringify(trailers)}: ${error}`);
    assert.equal(error.code, code, JSON.stringify(trailers));
  }
});

test("G-36: the codes that changed between 1.0.0 and 1.0.1 are read in both ways, by reason or by the name in the text", async (t) => {
  const changed = [
    ["PUSH_NOTIFICATION_NOT_SUPPORTED", "PushNotificationNotSupportedError"],
    ["UNSUPPORTED_OPERATION", "UnsupportedOperationError"],
    ["VERSION_NOT_SUPPORTED", "VersionNotSupportedError"],
  ] as const;
  for (const [reason, name] of changed) {
    for (const code of [grpc.status.UNIMPLEMENTED, grpc.status.FAILED_PRECONDITION]) {
      const status = { "grpc-status": String(code) };
      const details = statusOf(code, reason);
      const cases = [
        { ...status, "grpc-message": "no", "grpc-status-details-bin": details },
        { ...status, "grpc-message": `${name}: no` },
      ];
      for (const trailers of cases) {
        const client = await refusing(t, trailers);
        const error = await client.getTask({ id: "t" }).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof RemoteError);
        assert.equal(error.code, reason, JSON.stringify(trailers));
      }
    }
  }
});

/** A `google.rpc.Status` with one ErrorInfo, in base64. */
function statusOf(code: number, reason: string): string {
  const field = (number: number, bytes: Buffer | string) =>
    Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), Buffer.from(bytes)]);
  const info = Buffer.concat([field(1, reason), field(2, "a2a-protocol.org")]);
  const detail = Buffer.concat([field(1, "type.googleapis.com/google.rpc.ErrorInfo"), field(2, info)]);
  return Buffer.concat([Buffer.from([8, code]), field(2, "no"), field(3, detail)]).toString("base64");
}
