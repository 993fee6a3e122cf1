import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
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
