import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { apiKeys, basicUsers, bearerTokens } from "../../../src/server/index.js";
import { cardOf, schemes } from "../../auth/card.js";
import { serveGuarded } from "../../auth/guarded.js";
import { startIssuer } from "./issuer.js";
import { type OpenInspector, openInspector, skip } from "./open-page.js";

/** Sends a message; what the screen says of it. */
async function send({ page, show }: OpenInspector, word: string): Promise<void> {
  await show("Operations");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByLabel("Results").getByText(word, { exact: true }).first().waitFor();
}

const panel = (page: Page, name: string) => page.getByRole("region", { name: `Scheme ${name}`, exact: true });
const use = (page: Page, name: string) => panel(page, name).getByRole("button", { name: "Use" }).click();
const entered = (page: Page, name: string, word = "Entered") =>
  panel(page, name).getByText(word, { exact: true }).waitFor();

/** Secrets that were entered must be nowhere on the page and in no storage. */
async function assertHidden(page: Page, secret: string): Promise<void> {
  const everything = await page.evaluate<string>(
    "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
  );
  assert.ok(!everything.includes(secret), `${secret} is on the page`);
}

describe.skipIf(skip)("credentials", () => {
  test("of an API key are sent, and hidden on the wire", async (t) => {
    const card = cardOf({ key: schemes.key }, ["key"]);
    const { url } = await serveGuarded(t, card, {
      verifiers: { key: apiKeys({ "secret-key-4711": "alice" }) },
    });
    const opened = await openInspector(t, { agent: url });
    const { page, show, look } = opened;
    await page.getByText("Guarded agent").first().waitFor();
    await send(opened, "UNAUTHENTICATED");
    await show("Credentials");
    await page.getByText("key: missing").waitFor();
    await look("credentials");
    await panel(page, "key").getByLabel("API key").fill("secret-key-4711");
    await use(page, "key");
    await entered(page, "key");
    await page.getByText("key: entered").waitFor();
    await send(opened, "Answered");
    await show("Wire");
    await page.getByRole("tab", { name: "Request" }).click();
    const row = page.getByRole("row", { name: /^x-api-key/i });
    assert.match((await row.textContent()) ?? "", /•••/);
    await assertHidden(page, "secret-key-4711");
    await look("wire-credentials");
    await show("Credentials");
    await panel(page, "key").getByRole("button", { name: "Forget" }).click();
    await page.getByText("key: missing").waitFor();
  });

  test("of HTTP basic and bearer are sent", async (t) => {
    const card = cardOf({ basic: schemes.basic, bearer: schemes.bearer }, ["basic"], ["bearer"]);
    const { url } = await serveGuarded(t, card, {
      verifiers: {
        basic: basicUsers({ alice: "pass:word" } as never),
        bearer: bearerTokens({ "bearer-4711": "bob" }),
      },
    });
    const opened = await openInspector(t, { agent: url });
    const { page, show, look } = opened;
    await page.getByText("Guarded agent").first().waitFor();
    await show("Credentials");
    await panel(page, "bearer").getByLabel("Token").fill("bearer-4711");
    await use(page, "bearer");
    await entered(page, "bearer");
    await look("credentials-entered");
    await send(opened, "Answered");
    await show("Wire");
    await assertHidden(page, "bearer-4711");
  });

  test("come from a sign-in with a browser, through the local server", async (t) => {
    const { scheme, forms } = await startIssuer(t, "authorizationCode");
    const card = cardOf({ login: scheme }, ["login"]);
    const { url } = await serveGuarded(t, card, {
      verifiers: { login: bearerTokens({ "token-4711": "alice" }) },
    });
    const opened = await openInspector(t, { agent: url, allowPrivate: true });
    const { page, context, show, look } = opened;
    await page.getByText("Guarded agent").first().waitFor();
    await show("Credentials");
    await look("credentials-oauth");
    await panel(page, "login").getByLabel("Client id").fill("inspector");
    const signedIn = context.waitForEvent("page");
    await panel(page, "login").getByRole("button", { name: "Sign in" }).click();
    const window = await signedIn;
    await window.getByText("You can close this window").waitFor();
    await entered(page, "login", "Signed in");
    assert.equal(forms[0]?.get("grant_type"), "authorization_code");
    await send(opened, "Answered");
    await show("Wire");
    await page.getByLabel("Only with this text").fill("/token");
    await page.getByRole("link", { name: /token/ }).first().click();
    await assertHidden(page, "token-4711");
  });

  test("come from a device code, which the page shows", async (t) => {
    const { scheme } = await startIssuer(t, "deviceCode");
    const card = cardOf({ login: scheme }, ["login"]);
    const { url } = await serveGuarded(t, card, {
      verifiers: { login: bearerTokens({ "token-4711": "alice" }) },
    });
    const { page, show, look } = await openInspector(t, { agent: url, allowPrivate: true });
    await page.getByText("Guarded agent").first().waitFor();
    await show("Credentials");
    await page.getByRole("tab", { name: "Sign in on another device" }).click();
    await panel(page, "login").getByLabel("Client id").fill("inspector");
    await panel(page, "login").getByRole("button", { name: "Sign in" }).click();
    await page.getByText("WDJB-MJHT").waitFor();
    await entered(page, "login", "Signed in");
    await look("credentials-signed-in");
  });

  test("come from a program's own account, and a failure is shown", async (t) => {
    const { scheme, forms } = await startIssuer(t, "clientCredentials");
    const card = cardOf({ login: scheme }, ["login"]);
    const { url } = await serveGuarded(t, card, {
      verifiers: { login: bearerTokens({ "token-4711": "alice" }) },
    });
    const { page, show } = await openInspector(t, { agent: url, allowPrivate: true });
    await page.getByText("Guarded agent").first().waitFor();
    await show("Credentials");
    await page.getByRole("tab", { name: "A program’s own account" }).click();
    await panel(page, "login").getByLabel("Client id").fill("inspector");
    await panel(page, "login").getByLabel("Client secret").fill("shh-4711");
    await panel(page, "login").getByRole("button", { name: "Sign in" }).click();
    await entered(page, "login", "Signed in");
    assert.equal(forms[0]?.get("grant_type"), "client_credentials");
    await assertHidden(page, "shh-4711");
    await panel(page, "login").getByLabel("Client id").fill("inspector");
    await panel(page, "login").getByLabel("Client secret").fill("shh-4711");
    await panel(page, "login").getByLabel("Token URL").fill("http://127.0.0.1:1/token");
    await panel(page, "login").getByRole("button", { name: "Sign in" }).click();
    await panel(page, "login").getByRole("alert").waitFor();
    assert.equal(forms.length, 1);
  });
});
