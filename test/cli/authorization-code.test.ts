import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { loopbackRedirect } from "../../src/loopback/index.js";
import { oauth, startAgent, startIssuer } from "./issuer.js";
import { Terminal } from "./terminal.js";

/** A browser that opens the page and follows the issuer, who sends it back to the redirect URI. */
async function signIn(page: URL, answer: Record<string, string>): Promise<Response> {
  const { redirect_uri: uri = "", state = "" } = Object.fromEntries(page.searchParams);
  return fetch(`${uri}?${new URLSearchParams({ ...answer, state })}`);
}

const pageIn = (text: string) => /open (http:\S+) and sign in/.exec(text)?.[1];

test("AUTHN-06: auth login by authorization code: the issuer redirects to a port of this machine", async (t) => {
  const issuer = await startIssuer(t, ({ grant_type: grant }) =>
    grant === "authorization_code"
      ? { access_token: "token-1", refresh_token: "refresh-1" }
      : "invalid_grant",
  );
  const agent = await startAgent(t, oauth(issuer.url, "authorizationCode"), (token) => token === "token-1");
  const shell = new Terminal(t, agent);
  const running = shell.parley(
    ...["auth", "login", "--client-id", "me", "--allow-origin", issuer.url, "-o", "json"],
  );
  await shell.shows(" and sign in");
  const page = new URL(pageIn(shell.screen) ?? "");
  const shown = await signIn(page, { code: "c-1" });
  assert.match(await shown.text(), /You are signed in\. You can close this window\./);
  assert.equal(shown.headers.get("Cache-Control"), "no-store");
  const login = await running;
  assert.equal(login.exit, 0, login.err);
  assert.deepEqual([login.json.scheme, login.json.flow], ["door", "authorization-code"]);
  assert.equal(issuer.forms[0]?.redirect_uri, page.searchParams.get("redirect_uri"));
  assert.match((await shell.parley("send", "hi")).out, /open/);
});

test("a sign-in that is declined says so, in the browser and here", async (t) => {
  const issuer = await startIssuer(t, () => "invalid_grant");
  const agent = await startAgent(t, oauth(issuer.url, "authorizationCode"), () => false);
  const shell = new Terminal(t, agent);
  const running = shell.parley("auth", "login", "--client-id", "me", "--allow-origin", issuer.url);
  await shell.shows(" and sign in");
  const shown = await signIn(new URL(pageIn(shell.screen) ?? ""), { error: "access_denied" });
  assert.match(await shown.text(), /You are not signed in/);
  const login = await running;
  assert.equal(login.exit, 4);
  assert.match(login.err, /access_denied/);
});

/** What an authorization of its own answers to requests, before the right one ends it. */
async function redirectWith(state: string) {
  let shown: (page: URL) => void = () => undefined;
  const page = new Promise<URL>((resolve) => {
    shown = resolve;
  });
  const redirect = await loopbackRedirect({ open: (url) => shown(url) });
  const came = redirect.open(new URL(`https://issuer.example/?state=${state}`), new AbortController().signal);
  await page;
  return { redirect, came };
}

test("the port answers the redirect of its authorization alone", async () => {
  const { redirect, came } = await redirectWith("s-1");
  const { origin, port } = new URL(redirect.uri);
  const statusOf = async (path: string, init?: RequestInit) => (await fetch(`${origin}${path}`, init)).status;
  assert.equal(await statusOf("/"), 404);
  assert.equal(await statusOf("/callback?code=x&state=another"), 404);
  assert.equal(await statusOf("/callback?code=x"), 404);
  assert.equal(await statusOf("/callback?code=x&state=s-1", { method: "POST" }), 404);
  // A name that was rebound to this machine.
  assert.equal(
    (await fetchAs("evil.example", Number(port), "/callback?code=x&state=s-1")).split(" ")[1],
    "404",
  );
  assert.equal(await statusOf("/callback?code=c-1&state=s-1"), 200);
  assert.equal(new URL(await came).searchParams.get("code"), "c-1");
  await redirect.close?.();
  await assert.rejects(fetch(origin));
});

async function fetchAs(host: string, port: number, path: string): Promise<string> {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [bytes] = await once(socket, "data");
  socket.destroy();
  return String(bytes);
}

test("an authorization that is given up ends the waiting", async () => {
  const redirect = await loopbackRedirect({ open: () => undefined });
  const controller = new AbortController();
  const came = redirect.open(new URL("https://issuer.example/?state=s"), controller.signal);
  controller.abort(new Error("given up"));
  await assert.rejects(async () => came, /given up/);
  await redirect.close?.();
});

test("a port that is in use is told", async (t: TestContext) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await assert.rejects(loopbackRedirect({ open: () => undefined, port }), { code: "EADDRINUSE" });
});
