import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { defineAgent, reply } from "../../src/index.js";
import {
  type AuthOptions,
  apiKeys,
  type ClientCertificate,
  clientCertificates,
  createApp,
  type Denial,
} from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { type Certified, certify } from "./certificates.js";

const name = { CN: "Test authority" };
const authority = { subject: name, ...certify({ subject: name }) };
const stranger = { subject: name, ...certify({ subject: name }) };
const serverCertificate = certify({
  subject: { CN: "localhost" },
  names: ["DNS:localhost"],
  issuer: authority,
});

/** Serves an agent over TLS that asks for certificates; what it answers to a certificate and headers. */
async function serveTls(t: TestContext, auth: AuthOptions, ...entries: string[][]) {
  const denials: Denial[] = [];
  const { mtls, key } = schemes;
  const card = cardOf(entries.flat().includes("key") ? { mtls, key } : { mtls }, ...entries);
  const agent = defineAgent({ card, execute: async ({ call }) => reply(JSON.stringify(call.principal)) });
  const app = createApp(agent, { auth: { ...auth, audit: (denial) => denials.push(denial) } });
  const answer = app.callback();
  const server = createServer(
    { ...serverCertificate, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (incoming, response) => void answer(incoming, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(async () => {
    await app.close(0);
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = async (client: Certified | undefined, headers: Record<string, string> = {}) => {
    const sent = request({
      ...{ port, host: "127.0.0.1", servername: "localhost", path: "/message:send", method: "POST" },
      ...{ ca: authority.cert, ...client, agent: false },
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0", ...headers },
    });
    sent.end(JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } }));
    const [response] = await once(sent, "response");
    const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
    return {
      status: response.statusCode,
      challenge: response.headers["www-authenticate"],
      principal: body.message && JSON.parse(body.message.parts[0].text),
    };
  };
  return { ask, denials };
}

test("AUTHN-01: a certificate of a trusted authority says who calls", async (t) => {
  const { ask } = await serveTls(t, { verifiers: { mtls: clientCertificates() } }, ["mtls"]);
  const client = certify({ subject: { CN: "orders", O: "Example" }, issuer: authority });
  assert.deepEqual((await ask(client)).principal, { id: "orders", scheme: "mtls" });
});

test("AUTHN-04: no certificate, and certificates that prove nothing, are refused", async (t) => {
  const { ask, denials } = await serveTls(t, { verifiers: { mtls: clientCertificates() } }, ["mtls"]);
  const subject = { CN: "orders" };
  const expired = certify({ subject, issuer: authority, until: Date.now() - 1_000 });
  for (const [client, reasons] of [
    [undefined, {}],
    [certify({ subject, issuer: stranger }), { mtls: "untrusted" }],
    [certify({ subject }), { mtls: "untrusted" }],
    [expired, { mtls: "untrusted" }],
    [certify({ subject: { O: "Example" }, issuer: authority }), { mtls: "unknown" }],
    [certify({ subject: { CN: ["orders", "root"] }, issuer: authority }), { mtls: "unknown" }],
  ] as const) {
    const { status, challenge } = await ask(client);
    assert.deepEqual([status, challenge], [401, 'ClientCertificate realm="Guarded agent"']);
    assert.deepEqual(denials.at(-1)?.reasons, reasons);
  }
});

test("certificates are known by the common name of their subject, where a table says so", async (t) => {
  const known = { orders: { id: "orders-service", scopes: ["read"] }, billing: "billing" };
  const { ask } = await serveTls(t, { verifiers: { mtls: clientCertificates(known) } }, ["mtls"]);
  const as = (CN: string) => ask(certify({ subject: { CN }, issuer: authority }));
  assert.deepEqual((await as("orders")).principal, {
    id: "orders-service",
    scheme: "mtls",
    scopes: ["read"],
  });
  assert.equal((await as("billing")).principal.id, "billing");
  for (const unknown of ["Orders", "constructor"]) assert.equal((await as(unknown)).status, 401);
});

test("certificates are shown to a function of the application, names that play tricks included", async (t) => {
  const seen: ClientCertificate[] = [];
  const check = (certificate: ClientCertificate) => {
    seen.push(certificate);
    return certificate.alternativeNames.find((one) => one.startsWith("URI:"))?.slice(4);
  };
  const { ask } = await serveTls(t, { verifiers: { mtls: clientCertificates(check) } }, ["mtls"]);
  const names = ["DNS:a.example", "URI:spiffe://example/a, URI:spiffe://example/root", "DNS:b.example"];
  const client = certify({ subject: { CN: "a", OU: ["x", "y"] }, names, issuer: authority });
  assert.equal((await ask(client)).principal.id, "spiffe://example/a, URI:spiffe://example/root");
  const [certificate] = seen;
  assert.deepEqual(certificate?.alternativeNames, names);
  assert.deepEqual(certificate?.subject, { CN: "a", OU: ["x", "y"] });
  assert.match(String(certificate?.fingerprint), /^([\dA-F]{2}:){31}[\dA-F]{2}$/);
  assert.match(String(certificate?.serialNumber), /^[\dA-F]+$/);
});

test("CARD-16: a certificate and a key are demanded together", async (t) => {
  const verifiers = { mtls: clientCertificates(), key: apiKeys({ "alice key": "alice/1" }) };
  const { ask } = await serveTls(t, { verifiers }, ["mtls", "key"]);
  const client = certify({ subject: { CN: "orders" }, issuer: authority });
  const headers = { "X-API-Key": "alice key" };
  assert.equal((await ask(client)).status, 401);
  assert.equal((await ask(undefined, headers)).status, 401);
  assert.equal((await ask(client, headers)).principal.id, "orders&alice%2F1");
});
