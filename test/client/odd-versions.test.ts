import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientError, connect } from "../../src/client/index.js";
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

for (const [options, asked] of [
  [{ versions: ["2.0" as "1.0"] }, "`versions` (2.0)"],
  [{ minVersion: "2.0" }, "`minVersion` (2.0)"],
  [{ versions: ["1.0"], minVersion: "1.1" }, "`versions` (1.0) and `minVersion` (1.1)"],
  [{ bindings: ["GRPC"], versions: ["0.1"] }, "`bindings` (GRPC) and `versions` (0.1)"],
] as const)
  test(`the error for ${asked} says that the client calls no such interface`, async () => {
    const url = "https://agent.example/";
    const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "2.0" }];
    await assert.rejects(connect(cardOf({ supportedInterfaces }), options), (error) => {
      assert.ok(error instanceof ClientError);
      assert.equal(error.expected, `an interface that satisfies ${asked}`);
      const [, reason = ""] = error.message.split("It offers: JSONRPC 2.0 at https://agent.example/. ");
      assert.ok(
        reason.startsWith(
          `The client calls no interface that satisfies ${asked}. By default it calls JSONRPC, `,
        ),
      );
      assert.match(reason, /, or JSONRPC in version 0\.1 or 0\.1-flat$/);
      return true;
    });
  });

test("the error for an option with an unknown value names the option and what to use", async () => {
  const card = cardOf();
  await assert.rejects(connect(card, { bindings: ["jsonrpc" as "JSONRPC"] }), {
    message: 'bindings: "jsonrpc" is not supported: use JSONRPC, HTTP+JSON or GRPC',
  });
  await assert.rejects(connect(card, { versions: ["1.0", "latest" as "1.0"], minVersion: "0.3" }), {
    message: /^versions: "latest" is not a protocol version: use the form of /,
  });
  await assert.rejects(connect(card, { versions: ["1.0"], minVersion: "latest" }), {
    message: /^minVersion: "latest" is not a protocol version/,
  });
  await assert.rejects(connect(card, { origins: ["localhost:4000"] }), {
    message:
      'origins: "localhost:4000" is not an origin: write scheme, host and port, such as https://agents.example.com',
  });
});

for (const options of [
  ...[null, true, []].map((signatures) => ({ signatures })),
  ...[null, true].map((grpc) => ({ grpc })),
  ...[null, "no"].flatMap((flag) => [{ lenient: flag }, { localChecks: flag }, { oneSendPerTask: flag }]),
])
  test(`options of a wrong type are refused: ${JSON.stringify(options)}`, async () => {
    await assert.rejects(connect(cardOf(), options as object), { code: "INVALID_OPTION" });
  });

test("AUTHN-09: origins that must not receive credentials are all named", async () => {
  const entry = { protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const urls = ["https://a.example/1", "https://b.example/2", "https://a.example/3", "https://c.example/4"];
  const card = cardOf({ supportedInterfaces: urls.map((url) => ({ ...entry, url })) });
  const headers = { "X-Team": "planning" };
  await assert.rejects(connect(card, { headers }), {
    code: "ORIGIN_NOT_ALLOWED",
    received: "https://a.example, https://b.example, https://c.example",
  });
  const warnings: object[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  const logger = { debug() {}, info() {}, error() {}, warn };
  await connect(card, { headers, logger, origins: ["https://b.example"] });
  assert.deepEqual(warnings, [{ origins: ["https://a.example", "https://c.example"] }]);
});
