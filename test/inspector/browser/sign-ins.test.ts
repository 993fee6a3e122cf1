import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, type TestContext, test } from "vitest";
import { type Executor, reply, type SecurityScheme } from "../../../src/index.js";
import type { InspectOptions } from "../../../src/inspector/local-server.js";
import {
  apiKeys,
  basicUsers,
  bearerTokens,
  clientCertificates,
  createApp,
  type Verifier,
} from "../../../src/server/index.js";
import { cardOf, schemes } from "../../auth/card.js";
import { certify } from "../../auth/certificates.js";
import { serveGuarded } from "../../auth/guarded.js";
import { listenFor } from "../../support/listen.js";
import { serveGrpc } from "../../support/peer.js";
import { startIssuer } from "./issuer.js";
import { authority, listenTls } from "./listen-tls.js";
import { openInspector, skip } from "./open-page.js";

const SECRET = "secret-4711";
const TOKEN = "token-4711";
const knownToken = bearerTokens({ [TOKEN]: "alice" });

/** Opens an agent whose card demands the scheme `door`, on the screen of its credentials. */
async function atTheDoor(t: TestContext, agent: string, options: InspectOptions = {}) {
  const opened = await openInspector(t, { agent, allowPrivate: true, ...options });
  const { page, show } = opened;
  await page.getByText("Guarded agent").first().waitFor();
  await show("Credentials");
  const panel = page.getByRole("region", { name: "Scheme door", exact: true });
  /** Sends a message, and waits for a state. */
  const send = async (state: string) => {
    await show("Operations");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByLabel("Results").getByText(state, { exact: true }).first().waitFor();
  };
  /** The page has a secret nowhere. */
  const assertHidden = async (secret: string) => {
    await show("Wire");
    const everything = await page.evaluate<string>(
      "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    );
    assert.ok(!everything.includes(secret), `${secret} is on the page`);
  };
  return { ...opened, panel, send, assertHidden };
}

/** Serves an agent that demands the scheme `door`, and opens it. */
async function guardedBy(t: TestContext, scheme: SecurityScheme, verifier: Verifier) {
  const { callers, execute } = listening();
  const auth = { verifiers: { door: verifier } };
  const { url } = await serveGuarded(t, cardOf({ door: scheme }, ["door"]), auth, { agent: { execute } });
  return { ...(await atTheDoor(t, url)), callers };
}

/** An executor that notes who has called. */
function listening() {
  const callers: string[] = [];
  const execute: Executor = ({ call }) => {
    callers.push(call.principal.id);
    return reply("Welcome");
  };
  return { callers, execute };
}

const keys = apiKeys({ [SECRET]: "alice" });

/** What a person enters for each scheme; the last field is the secret. */
const entered: readonly (readonly [string, SecurityScheme, Verifier, Record<string, string>])[] = [
  ["an API key in a header", schemes.key, keys, { "API key": SECRET }],
  ["an API key in the query", schemes.queryKey, keys, { "API key": SECRET }],
  ["an API key in a cookie", schemes.cookieKey, keys, { "API key": SECRET }],
  ["a password", schemes.basic, basicUsers({ alice: SECRET }), { "User name": "alice", Password: SECRET }],
  ["a bearer token", schemes.bearer, bearerTokens({ [SECRET]: "alice" }), { Token: SECRET }],
];

describe.skipIf(skip)("a credential that the person has", () => {
  test.for(entered)(
    "%s: a wrong one is refused, the right one is known to the agent and hidden on the page",
    async ([, scheme, verifier, fields], t) => {
      const { page, panel, show, send, assertHidden, callers } = await guardedBy(t, scheme, verifier);
      for (const [state, secret] of [
        ["UNAUTHENTICATED", "wrong-0815"],
        ["Answered", SECRET],
      ] as const) {
        await show("Credentials");
        for (const [label, value] of Object.entries(fields))
          await panel.getByLabel(label, { exact: true }).fill(value === SECRET ? secret : value);
        await panel.getByRole("button", { name: "Use" }).click();
        await panel.getByText("Entered", { exact: true }).waitFor();
        await send(state);
      }
      assert.deepEqual(callers, ["alice"]);
      await assertHidden(SECRET);
      await page.getByRole("tab", { name: "Request" }).click();
      await page.getByText("•••").first().waitFor();
    },
  );

  test("a bearer token is sent over gRPC as well", async (t) => {
    const card = cardOf({ door: schemes.bearer }, ["door"]);
    const { callers, execute } = listening();
    const auth = { verifiers: { door: bearerTokens({ [SECRET]: "alice" }) } };
    const { url } = await serveGrpc(t, { card, execute }, { auth });
    const { page, panel, show, assertHidden } = await atTheDoor(t, url);
    await panel.getByLabel("Token", { exact: true }).fill(SECRET);
    await panel.getByRole("button", { name: "Use" }).click();
    await panel.getByText("Entered", { exact: true }).waitFor();
    await show("Operations");
    await page.getByLabel("Interface").selectOption({ label: "GRPC 1.0" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByLabel("Results").getByText("Answered", { exact: true }).waitFor();
    assert.deepEqual(callers, ["alice"]);
    await assertHidden(SECRET);
  });
});

describe.skipIf(skip)("a sign-in", () => {
  test("by device code ends with a token that the agent accepts", async (t) => {
    const { scheme, forms } = await startIssuer(t, "deviceCode");
    const { panel, send, assertHidden, callers } = await guardedBy(t, scheme, knownToken);
    await panel.getByRole("tab", { name: "Sign in on another device" }).click();
    await panel.getByLabel("Client id").fill("inspector");
    await panel.getByRole("button", { name: "Sign in" }).click();
    await panel.getByText("Signed in", { exact: true }).waitFor();
    assert.ok(forms.length >= 4, "the issuer was asked until the person had signed in");
    await send("Answered");
    assert.deepEqual(callers, ["alice"]);
    await assertHidden(TOKEN);
  });

  test("that the person declines is told in the words of the issuer, and can be stopped", async (t) => {
    const { scheme } = await startIssuer(t, "authorizationCode", { declines: true });
    const { context, panel, send } = await guardedBy(t, scheme, knownToken);
    await panel.getByLabel("Client id").fill("inspector");
    const window = context.waitForEvent("page");
    await panel.getByRole("button", { name: "Sign in" }).click();
    await window;
    await panel.getByText(/access_denied/).waitFor();
    await send("UNAUTHENTICATED");
  });

  test("by OpenID Connect finds the ways of the issuer, and signs in by one of them", async (t) => {
    const { openId, forms } = await startIssuer(t, "authorizationCode");
    const { page, context, panel, send, look, assertHidden, callers } = await guardedBy(
      t,
      openId,
      knownToken,
    );
    await panel.getByText("The issuer describes the ways to sign in").waitFor();
    await look("credentials-openid");
    await panel.getByRole("button", { name: "Read it" }).click();
    await panel.getByRole("tab", { name: "Sign in with a browser" }).waitFor();
    await panel.getByRole("tab", { name: "Sign in on another device" }).waitFor();
    assert.match(await panel.getByLabel("Authorization URL").inputValue(), /\/authorize$/);
    await look("credentials-openid-ways");
    await panel.getByLabel("Client id").fill("inspector");
    const window = context.waitForEvent("page");
    await panel.getByRole("button", { name: "Sign in" }).click();
    await (await window).getByText("You can close this window").waitFor();
    await panel.getByText("Signed in", { exact: true }).waitFor();
    assert.ok((forms[0]?.get("code_verifier")?.length ?? 0) >= 43, "the code is exchanged with PKCE");
    await send("Answered");
    assert.deepEqual(callers, ["alice"]);
    await assertHidden(TOKEN);
    assert.equal(await page.locator("a[href^='javascript']").count(), 0);
  });

  test("by OpenID Connect says that the issuer does not describe itself", async (t) => {
    const origin = await listenFor(t, (_, res) => void res.writeHead(404).end("nothing"));
    const { panel } = await guardedBy(
      t,
      { openIdConnectSecurityScheme: { openIdConnectUrl: `${origin}/openid` } },
      knownToken,
    );
    await panel.getByRole("button", { name: "Read it" }).click();
    await panel.getByText(/metadata is not available \(HTTP 404\)/).waitFor();
    await panel.getByLabel("Token", { exact: true }).waitFor();
  });
});

describe.skipIf(skip)("a client certificate", () => {
  /** Serves an agent over TLS that knows its callers by their certificates. */
  async function serveTls(t: TestContext) {
    const { callers, execute } = listening();
    let answer: RequestListener = () => undefined;
    const url = await listenTls(t, (req, res) => answer(req, res));
    const card = cardOf({ door: schemes.mtls }, ["door"]);
    const auth = { verifiers: { door: clientCertificates() } };
    const app = createApp({ card, execute }, { publicUrl: url, auth });
    answer = app.callback();
    t.onTestFinished(() => app.close(0));
    return { url, callers };
  }

  test("of the local process is shown to the agent, which knows the caller by it", async (t) => {
    const certificate = certify({ subject: { CN: "orders" }, issuer: authority });
    const { url, callers } = await serveTls(t);
    const { panel, send } = await atTheDoor(t, url, { ca: authority.cert, certificate });
    await panel.getByRole("button", { name: "Use" }).click();
    await panel.getByText("Entered", { exact: true }).waitFor();
    await send("Answered");
    assert.match(callers.join(), /orders/);
  });

  test("that the local process does not have is asked for by its option", async (t) => {
    const { panel, look, send } = await atTheDoor(t, (await serveTls(t)).url, { ca: authority.cert });
    await panel.getByText(/Start “parley inspect” with “--client-cert”/).waitFor();
    assert.ok(await panel.getByRole("button", { name: "Use" }).isDisabled());
    await look("credentials-certificate");
    await send("UNAUTHENTICATED");
  });
});
