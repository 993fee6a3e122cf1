import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "vitest";
import { reply } from "../../src/index.js";
import { clientCertificates, createApp } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { certify } from "../auth/certificates.js";
import { Terminal } from "./terminal.js";

const name = { CN: "Test authority" };
const authority = { subject: name, ...certify({ subject: name }) };

test("A2ACLI_AUTH_009: an agent that wants a certificate is shown the one of --client-cert, and believed by --ca", async (t) => {
  const own = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"], issuer: authority });
  const tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const card = cardOf({ mtls: schemes.mtls }, ["mtls"]);
  const app = createApp(
    { card, execute: ({ call }) => reply(`hello ${call.principal.id}`) },
    { publicUrl: url, auth: { verifiers: { mtls: clientCertificates() } } },
  );
  server.on("request", app.callback());
  t.onTestFinished(async () => {
    await app.close(0);
    server.closeAllConnections();
    server.close();
  });

  const shell = new Terminal(t, url);
  const client = certify({ subject: { CN: "orders" }, issuer: authority });
  for (const [file, text] of [
    ["ca.pem", authority.cert],
    ["me.pem", client.cert],
    ["me.key", client.key],
  ] as const) {
    writeFileSync(join(shell.folder, file), text);
  }
  assert.equal((await shell.parley("send", "hi")).exit, 3, "an authority that nobody knows");
  assert.equal((await shell.parley("send", "hi", "--ca", "ca.pem")).exit, 4);
  const mine = ["--client-cert", "me.pem", "--client-key", "me.key"];
  const { out, err, exit } = await shell.parley("send", "hi", "--ca", "ca.pem", ...mine);
  assert.equal(exit, 0, err);
  assert.match(out, /hello orders/);
  const checked = ["conformance", url, "--only", "OP-CANCEL-04", "--ca", "ca.pem"];
  assert.equal((await shell.parley(...checked)).exit, 1, "an anonymous caller");
  assert.equal((await shell.parley(...checked, ...mine)).exit, 0);
  assert.equal((await shell.parley("send", "hi", "--client-cert", "me.pem")).exit, 2);
  assert.equal((await shell.parley("send", "hi", "--ca", "none.pem")).exit, 1);
});
