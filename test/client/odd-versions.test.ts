import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { grpcWeb } from "../../src/grpc-web/index.js";
import { GRPC_WEB } from "../../src/protocol/operations.js";
import { cardOf } from "./scripted.js";

for (const protocolVersion of ["1.0-beta", "1.0.0-rc1", "1.00", "0.10"])
  test(`the error for an interface of version ${protocolVersion} names its version, not its URL`, async () => {
    const url = "https://agent.example/";
    const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion }];
    await assert.rejects(connect(cardOf({ supportedInterfaces })), {
      code: "NO_INTERFACE",
      field: "supportedInterfaces.protocolVersion",
      received: `JSONRPC ${protocolVersion} at ${url}`,
    });
  });

for (const protocolVersion of ["0.1", "0.1-flat"])
  test(`an HTTP+JSON interface of ${protocolVersion}, which has no such binding, is not used`, async () => {
    const url = "https://agent.example/";
    const rest = { url, protocolBinding: "HTTP+JSON", protocolVersion };
    const rpc = { ...rest, protocolBinding: "JSONRPC" };
    assert.deepEqual((await connect(cardOf({ supportedInterfaces: [rest, rpc] }))).agentInterface, rpc);
    await assert.rejects(connect(cardOf({ supportedInterfaces: [rest] })), {
      code: "NO_INTERFACE",
      field: "supportedInterfaces.protocolVersion",
    });
  });

for (const [protocolVersion, protocolBinding] of [
  ["1.0", "JSONRPC"],
  ["1.0.3", "JSONRPC"],
  [" 1.0 ", "jsonrpc"],
  ["0.1x", "JSONRPC"],
  ["1.0", GRPC_WEB],
] as const)
  test(`the error for ${protocolBinding} in version "${protocolVersion}" at a URL that cannot be used names its URL`, async () => {
    const supportedInterfaces = [{ url: "ftp://a", protocolBinding, protocolVersion }];
    await assert.rejects(connect(cardOf({ supportedInterfaces }), { grpc: { web: grpcWeb } }), {
      code: "NO_INTERFACE",
      field: "supportedInterfaces.url",
    });
  });

test("the error for a gRPC-Web interface in an unknown version names its version", async () => {
  const entry = { url: "https://agent.example/", protocolBinding: GRPC_WEB };
  const supportedInterfaces = [{ ...entry, protocolVersion: "7.0" }];
  await assert.rejects(connect(cardOf({ supportedInterfaces }), { grpc: { web: grpcWeb } }), {
    code: "NO_INTERFACE",
    field: "supportedInterfaces.protocolVersion",
  });
});

test("the error for a URL that cannot be used names the form host:port only if the options allow GRPC", async () => {
  const supportedInterfaces = [{ url: "ftp://a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  for (const [bindings, expected] of [
    [["JSONRPC"], "JSONRPC in version 1.0, at absolute http or https URLs"],
    [
      ["JSONRPC", "GRPC"],
      "JSONRPC or GRPC in version 1.0, at absolute http or https URLs, or for GRPC at host:port",
    ],
  ] as const)
    await assert.rejects(connect(cardOf({ supportedInterfaces }), { bindings, versions: ["1.0"] }), {
      code: "NO_INTERFACE",
      expected,
    });
});
