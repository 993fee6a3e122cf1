import assert from "node:assert/strict";
import { test } from "vitest";
import { authorizationCode, connect } from "../../src/client/index.js";
import { reply } from "../../src/index.js";
import type { Session } from "../../src/inspector/api.js";
import { bearerTokens } from "../../src/server/index.js";
import { cardOf } from "../auth/card.js";
import { listenFor } from "../support/listen.js";
import { serveFor } from "../support/peer.js";
import { inspectFor, openFor, rawRequest } from "./local.js";

test("a redirect goes to the page that waits for its state, once", async (t) => {
  const inspected = await inspectFor(t);
  const [one, other] = [await openFor(t, inspected), await openFor(t, inspected)];
  await one.connection.request("POST", "redirects", { state: "state-1" });
  const came = `${inspected.origin}/callback?code=c0de&state=state-1`;
  const page = await rawRequest(came, {});
  assert.equal(page.status, 200);
  assert.match(page.text, /close this window/);
  assert.doesNotMatch(page.text, /c0de/);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
  assert.deepEqual(await one.next("redirected"), { type: "redirected", state: "state-1", url: came });
  assert.ok(!other.events.some(({ type }) => type === "redirected"));
  for (const query of ["code=c0de&state=state-1", "code=c0de&state=guess", "code=c0de", ""])
    assert.equal((await rawRequest(`${inspected.origin}/callback?${query}`, {})).status, 404, query);
});

test("a page that was closed waits for nothing", async (t) => {
  const inspected = await inspectFor(t);
  const { connection } = await openFor(t, inspected);
  await connection.request("POST", "redirects", { state: "state-1" });
  connection.close();
  const asked = () => rawRequest(`${inspected.origin}/callback?state=state-1`, {});
  // The server notices that the connection has closed, which the page does not see.
  let { status } = await asked();
  while (status === 200) ({ status } = await asked());
  assert.equal(status, 404);
});

test("the client of the page signs in with a browser by the redirect of its server", async (t) => {
  let verified = "";
  const issuer = await listenFor(t, (req, res) => {
    let body = "";
    req.on("data", (chunk) => {
      body += chunk;
    });
    req.on("end", () => {
      verified = body;
      res.writeHead(200, { "Content-Type": "application/json" });
      res.end(JSON.stringify({ access_token: "t0ken", token_type: "Bearer" }));
    });
  });
  const flow = { authorizationUrl: `${issuer}/authorize`, tokenUrl: `${issuer}/token`, scopes: {} };
  const card = cardOf({ oauth: { oauth2SecurityScheme: { flows: { authorizationCode: flow } } } }, ["oauth"]);
  const { url } = await serveFor(
    t,
    { card, execute: ({ call }) => reply(`hello ${call.principal.id}`) },
    { auth: { verifiers: { oauth: bearerTokens({ t0ken: "ann" }) } } },
  );
  const inspected = await inspectFor(t, { agent: url });
  const { connection, next } = await openFor(t, inspected);
  const { redirectUri = "" } = (await connection.request("GET", "session")) as Session;
  const oauth = authorizationCode({
    clientId: "inspector",
    redirect: () => ({
      uri: redirectUri,
      async open(page) {
        const state = page.searchParams.get("state") ?? "";
        await connection.request("POST", "redirects", { state });
        // What the browser does when the person has signed in.
        await rawRequest(`${page.searchParams.get("redirect_uri")}?code=c0de&state=${state}`, {});
        return (await next("redirected")).url;
      },
    }),
  });
  const client = await connect(url, {
    ...{ fetch: connection.fetchFor({ agent: url }), credentials: { oauth }, origins: [issuer] },
  });
  const { message } = await client.sendText("hi");
  assert.deepEqual(message?.parts, [{ text: "hello ann" }]);
  assert.match(verified, /code=c0de/);
  assert.match(verified, /code_verifier=/);
});
