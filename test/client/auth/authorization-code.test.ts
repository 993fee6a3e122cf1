import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test, vi } from "vitest";
import {
  type AuthorizationCodeOptions,
  type AuthorizationRedirect,
  authorizationCode,
} from "../../../src/client/index.js";
import { fakeTimers } from "../../support/fake-timers.js";
import { json, origin } from "../scripted.js";
import { clientWith, scopes, tokenUrl } from "./oauth-client.js";

const flow = {
  authorizationCode: { authorizationUrl: `${origin}/authorize?audience=a2a`, tokenUrl, scopes },
};
const uri = "http://127.0.0.1:4711/callback";

/** A person who comes back with what `query` makes of the page. */
function person(query: (page: URL) => Record<string, string>) {
  const pages: URL[] = [];
  let closed = 0;
  const redirect = (): AuthorizationRedirect => ({
    uri,
    async open(page) {
      pages.push(page);
      return `${uri}?${new URLSearchParams(query(page))}`;
    },
    close() {
      closed += 1;
    },
  });
  return { redirect, pages, closed: () => closed };
}

const stateOf = (page: URL) => page.searchParams.get("state") ?? "";
const signedIn = (page: URL) => ({ code: "c-1", state: stateOf(page) });

function provider(options: Partial<AuthorizationCodeOptions> & Pick<AuthorizationCodeOptions, "redirect">) {
  return authorizationCode({ clientId: "me", ...options });
}

test("AUTHN-06: the authorization code flow proves with PKCE that it has asked, and remembers the token", async () => {
  const { redirect, pages, closed } = person(signedIn);
  const { client, forms } = await clientWith(flow, provider({ redirect }), () =>
    json({ access_token: "t1" }),
  );
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  const [page] = pages;
  const asked = Object.fromEntries(page?.searchParams ?? []);
  const { code_verifier: verifier = "", ...form } = forms[0] ?? {};
  assert.equal(pages.length, 1);
  assert.equal(page?.origin, origin);
  assert.match(verifier, /^[\w-]{43}$/);
  assert.match(asked.state ?? "", /^[\w-]{43}$/);
  assert.notEqual(asked.state, verifier);
  assert.deepEqual(asked, {
    audience: "a2a",
    response_type: "code",
    client_id: "me",
    redirect_uri: uri,
    scope: "read",
    state: asked.state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  assert.deepEqual(form, {
    grant_type: "authorization_code",
    code: "c-1",
    redirect_uri: uri,
    client_id: "me",
  });
  assert.equal(forms.length, 1);
  assert.equal(closed(), 1);
});

test("each authorization has a state and a verifier of its own", async () => {
  const { redirect, pages } = person(signedIn);
  let count = 0;
  const expired = () => json({ access_token: `t${++count}`, expires_in: 1 });
  const { client, forms } = await clientWith(flow, provider({ redirect }), expired, () => `t${count}`);
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  assert.equal(new Set(pages.map(stateOf)).size, 2);
  assert.equal(new Set(forms.map((form) => form.code_verifier)).size, 2);
});

test("a token that has expired is refreshed without the person", async () => {
  const { redirect, pages } = person(signedIn);
  const issuer = (form: Record<string, string>) =>
    form.grant_type === "refresh_token"
      ? json({ access_token: "t2", expires_in: 3600 })
      : json({ access_token: "t1", refresh_token: "r1", expires_in: 1 });
  let good = "t1";
  const { client, forms } = await clientWith(flow, provider({ redirect }), issuer, () => good);
  await client.getTask({ id: "t" });
  good = "t2";
  await client.getTask({ id: "t" });
  assert.equal(pages.length, 1);
  assert.deepEqual(forms[1], { grant_type: "refresh_token", refresh_token: "r1", client_id: "me" });
});

const refused: Readonly<Record<string, (page: URL) => Record<string, string>>> = {
  "another state": () => ({ code: "c-1", state: "of another page" }),
  "another state when it has none": () => ({ code: "c-1" }),
  "another state, whatever error it names": () => ({ error: "access_denied", state: "" }),
  access_denied: (page) => ({ error: "access_denied", state: stateOf(page) }),
  "the redirect has no code": (page) => ({ state: stateOf(page) }),
};

for (const [reason, query] of Object.entries(refused)) {
  test(`a redirect is refused, and no code is exchanged: ${reason}`, async () => {
    const { redirect, closed } = person(query);
    const { client, forms } = await clientWith(flow, provider({ redirect }), () => json({}));
    await assert.rejects(client.getTask({ id: "t" }), {
      code: "CREDENTIALS_MISSING",
      message: new RegExp(reason.replace(/ when .*|, whatever .*/, "")),
    });
    assert.equal(forms.length, 0);
    assert.equal(closed(), 1);
  });
}

test("what the token endpoint refuses is told with its error", async () => {
  const { redirect, closed } = person(signedIn);
  const issuer = () => json({ error: "invalid_grant" }, { status: 400 });
  const { client } = await clientWith(flow, provider({ redirect }), issuer);
  await assert.rejects(client.getTask({ id: "t" }), {
    code: "CREDENTIALS_MISSING",
    message: /invalid_grant/,
  });
  assert.equal(closed(), 1);
});

test("a person who does not come back is waited for ten minutes", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  let closed = 0;
  let shown: () => void = () => undefined;
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const redirect = (): AuthorizationRedirect => ({
    uri,
    open() {
      shown();
      return new Promise(() => undefined);
    },
    close() {
      closed += 1;
    },
  });
  const { client } = await clientWith(flow, provider({ redirect }), () => json({}));
  const call = client.getTask({ id: "t" }, { timeout: 3600 });
  const failure = assert.rejects(call, { code: "CREDENTIALS_MISSING", message: /600 seconds/ });
  await isShown;
  await vi.advanceTimersByTimeAsync(601_000);
  await failure;
  assert.equal(closed, 1);
});

test("a call that is given up ends the authorization", async () => {
  const controller = new AbortController();
  let closed = 0;
  const redirect = (): AuthorizationRedirect => ({
    uri,
    open(_page, signal) {
      queueMicrotask(() => controller.abort(new Error("given up")));
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
    close() {
      closed += 1;
    },
  });
  const { client } = await clientWith(flow, provider({ redirect }), () => json({}));
  await assert.rejects(client.getTask({ id: "t" }, { signal: controller.signal }));
  await new Promise(setImmediate);
  assert.equal(closed, 1);
});

test("AUTHN-06: endpoints of the card on another origin get no secret", async () => {
  const foreign = {
    authorizationCode: {
      authorizationUrl: "https://evil.example/a",
      tokenUrl: "https://evil.example/t",
      scopes,
    },
  };
  const { redirect, pages } = person(signedIn);
  const { client } = await clientWith(foreign, provider({ redirect }), () => json({}));
  await assert.rejects(client.getTask({ id: "t" }), { code: "ORIGIN_NOT_ALLOWED" });
  assert.equal(pages.length, 0);
});

test("a scheme without the flow is left to other credentials, unless the endpoints are named", async () => {
  const { redirect, pages } = person(signedIn);
  const own = { authorizationUrl: `${origin}/authorize`, tokenUrl };
  const other = { clientCredentials: { tokenUrl, scopes } };
  const without = await clientWith(other, provider({ redirect }), () => json({ access_token: "t1" }));
  await assert.rejects(without.client.getTask({ id: "t" }));
  assert.equal(pages.length, 0);
  const named = await clientWith(other, provider({ redirect, ...own, scopes: [] }), () =>
    json({ access_token: "t1" }),
  );
  await named.client.getTask({ id: "t" });
  assert.equal(pages[0]?.searchParams.has("scope"), false);
});
