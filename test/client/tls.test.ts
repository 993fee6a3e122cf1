import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { certify } from "../auth/certificates.js";
import { cardOf } from "./scripted.js";

test("AUTHN-08: an agent whose certificate nobody trusts is not called", async (t) => {
  let requests = 0;
  const server = createServer(
    certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] }),
    (_, response) => {
      requests += 1;
      response.end(JSON.stringify(cardOf()));
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await assert.rejects(connect(`https://localhost:${port}`), { code: "UNREACHABLE", message: /CERT|SIGNED/ });
  assert.equal(requests, 0);
});
