import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { IssuerDeadline } from "../../../src/client/auth/issuer-deadline.js";
import { TokenHolder } from "../../../src/client/auth/oauth-token.js";
import { type CredentialNeed, clientCredentials, type Token } from "../../../src/client/index.js";
import { gate } from "../../support/both.js";
import { fakeTimers } from "../../support/fake-timers.js";
import { json, origin } from "../scripted.js";
import { clientWith, scopes, secrets, tokenUrl } from "./oauth-client.js";

const basicSecrets = `Basic ${btoa("me:s%3Acret")}`;

test("client credentials need a secret", () => {
  const options = { clientId: "me", clientSecret: process.env.NO_SUCH_VARIABLE as string };
  assert.throws(() => clientCredentials(options), {
    name: "TypeError",
    message: "clientCredentials needs a clientSecret, not undefined",
  });
});

test("an issuer that does not answer is named in the error, and no time limit of the client", () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const { signal } = new AbortController();
  const deadline = new IssuerDeadline(signal);
  const closed = new IssuerDeadline(signal);
  closed.close();
  vi.advanceTimersByTime(30_000);
  assert.equal(deadline.signal.reason.code, "TIMEOUT");
  assert.equal(deadline.signal.reason.message, "The OAuth issuer has not answered within 30 seconds");
  assert.equal(closed.signal.aborted, false);
  assert.equal(vi.getTimerCount(), 0);
});

test("AUTHN-06: client credentials get a token, use it again, and ask for the scopes of the card", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const { client, forms, seen } = await clientWith(flow, clientCredentials(secrets), () =>
    json({ access_token: "t1", token_type: "Bearer", expires_in: 3600 }),
  );
  await Promise.all([client.getTask({ id: "t" }), client.getTask({ id: "t" })]);
  await client.getTask({ id: "t" });
  assert.deepEqual(forms, [{ grant_type: "client_credentials", scope: "read" }]);
  assert.equal(seen[0]?.headers.get("Authorization"), basicSecrets);
  assert.equal(seen[0].url.href, tokenUrl);
});

test("a token in its last seconds, or refused by the agent, is not used again", async () => {
  let issued = 0;
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const provider = clientCredentials({ ...secrets, scopes: [] });
  const { client, forms } = await clientWith(
    flow,
    provider,
    (_form, _request, times) => {
      issued = times + 1;
      return json({ access_token: `t${issued}`, expires_in: times === 0 ? 10 : 3600 });
    },
    () => `t${issued}`,
  );
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  assert.equal(forms.length, 2);
  assert.deepEqual(forms[0], { grant_type: "client_credentials" });
  const revoked = await clientWith(
    flow,
    clientCredentials(secrets),
    (_form, _request, times) => json({ access_token: `t${times}` }),
    () => "t1",
  );
  await revoked.client.getTask({ id: "t" });
  assert.equal(revoked.forms.length, 2);
});

test("AUTHN-09: the client's secrets go to an endpoint of the card only where the caller lets them", async () => {
  const flow = { clientCredentials: { tokenUrl: "https://evil.example/token", scopes } };
  const answer = () => json({ access_token: "t1" });
  const trusting = await clientWith(flow, clientCredentials(secrets), answer);
  await assert.rejects(trusting.client.getTask({ id: "t" }), { code: "ORIGIN_NOT_ALLOWED" });
  assert.equal(trusting.seen.length, 0);
  const careful = await clientWith(flow, clientCredentials({ ...secrets, tokenUrl }), answer);
  await careful.client.getTask({ id: "t" });
  assert.equal(careful.seen[0]?.url.href, tokenUrl);
  const broken = await clientWith(
    { clientCredentials: { tokenUrl: "here", scopes } },
    clientCredentials(secrets),
    answer,
  );
  await assert.rejects(broken.client.getTask({ id: "t" }), { code: "CARD_INVALID" });
  const message = "An OAuth endpoint in the options of a credential provider is not a URL";
  // Programs without types may pass null.
  for (const wrong of ["here", null as unknown as string]) {
    const mistaken = await clientWith(flow, clientCredentials({ ...secrets, tokenUrl: wrong }), answer);
    await assert.rejects(mistaken.client.getTask({ id: "t" }), { name: "TypeError", message });
  }
});

test("an issuer that refuses or talks nonsense is a typed error", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  for (const [answer, expected] of [
    [
      () => json({ error: "invalid_client" }, { status: 401 }),
      { code: "CREDENTIALS_MISSING", message: /invalid_client/ },
    ],
    [() => json({}, { status: 500 }), { code: "CREDENTIALS_MISSING", message: /HTTP 500/ }],
    [() => json({ token: "x" }), { code: "CREDENTIALS_MISSING", message: /the response has none/ }],
    [() => new Response("<html>"), { code: "INVALID_RESPONSE" }],
    [() => json({ access_token: "x".repeat(100_000) }), { code: "RESPONSE_TOO_LARGE" }],
  ] as const) {
    const { client } = await clientWith(flow, clientCredentials(secrets), answer);
    await assert.rejects(client.getTask({ id: "t" }), expected);
  }
  const other = await clientWith({ password: {} }, clientCredentials(secrets), () => json({}));
  await assert.rejects(other.client.getTask({ id: "t" }), {
    code: "CREDENTIALS_MISSING",
    message: /"oauth"/,
  });
});

test("a token is kept for the next run of the program, and what was kept is used before another is obtained", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const saved: Token[] = [];
  let loads = 0;
  const tokenStore = {
    load: () => {
      loads += 1;
      return saved.at(-1);
    },
    save: (token: Token) => void saved.push(token),
  };
  const answer = () => json({ access_token: "t1", refresh_token: "r", expires_in: 3600 });
  const first = await clientWith(flow, clientCredentials({ ...secrets, tokenStore }), answer);
  await Promise.all([first.client.getTask({ id: "t" }), first.client.getTask({ id: "t" })]);
  assert.deepEqual(
    saved.map(({ value, refresh }) => [value, refresh]),
    [["t1", "r"]],
  );
  assert.equal(loads, 1);
  const second = await clientWith(flow, clientCredentials({ ...secrets, tokenStore }), answer);
  await second.client.getTask({ id: "t" });
  assert.deepEqual(second.forms, []);
});

test("a stored token that could not be loaded is loaded by the next call", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  let loads = 0;
  const tokenStore = {
    load: () => {
      loads += 1;
      if (loads === 1) throw new Error("The keychain is locked");
      return { value: "kept", expires: Number.POSITIVE_INFINITY, refresh: undefined };
    },
    save: () => undefined,
  };
  const provider = clientCredentials({ ...secrets, tokenStore });
  const answer = () => json({ access_token: "new" });
  const { client, forms, seen } = await clientWith(flow, provider, answer, () => "kept");
  await assert.rejects(client.getTask({ id: "t" }), /The keychain is locked/);
  await client.getTask({ id: "t" });
  assert.equal(seen.at(-1)?.headers.get("Authorization"), "Bearer kept");
  assert.deepEqual([loads, forms], [2, []]);
});

/** An issuer whose refresh tokens are valid once, and a store that has an expired token of it. */
function rotating(save: (token: Token) => void | Promise<void>) {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const load = () => ({ value: "t0", expires: 0, refresh: "r0" });
  const provider = clientCredentials({ ...secrets, tokenStore: { load, save } });
  const issuer = (_form: object, _request: object, times: number) =>
    json({ access_token: `t${times + 1}`, refresh_token: `r${times + 1}`, expires_in: 3600 });
  return clientWith(flow, provider, issuer);
}

test("a renewed token is used although the call that renewed it was aborted while the token was saved", async () => {
  const saving = gate<void>();
  const controller = new AbortController();
  let saves = 0;
  const { client, forms } = await rotating(() => {
    controller.abort(new Error("enough"));
    saves += 1;
    return saves === 1 ? saving.opened : undefined;
  });
  await assert.rejects(client.getTask({ id: "t" }, { signal: controller.signal }), /enough/);
  await client.getTask({ id: "t" });
  saving.open();
  assert.deepEqual(
    forms.map(({ refresh_token: refresh }) => refresh),
    ["r0"],
  );
});

test("a token that could not be saved fails the call, and is used by the next one", async () => {
  const { client, forms } = await rotating(() => Promise.reject(new Error("The disk is full")));
  await assert.rejects(client.getTask({ id: "t" }), /The disk is full/);
  await client.getTask({ id: "t" });
  assert.equal(forms.length, 1);
});

test("a call that begins while a renewal ends does not renew the token again", async () => {
  const { signal } = new AbortController();
  // The second call begins a number of microtasks after the response of the issuer.
  for (let turns = 0; turns < 20; turns++) {
    const { open, opened } = gate<Token>();
    const holder = new TokenHolder(undefined);
    let renewals = 0;
    const get = () =>
      holder.get({ signal } as CredentialNeed, () => {
        renewals += 1;
        return opened;
      });
    const first = get();
    await new Promise(setImmediate);
    open({ value: "t1", expires: Number.POSITIVE_INFINITY, refresh: undefined });
    for (let turn = 0; turn < turns; turn++) await undefined;
    assert.deepEqual(await Promise.all([first, get()]), ["t1", "t1"]);
    assert.equal(renewals, 1, `after ${turns} turns`);
  }
});

test("AUTHN-09: clients that share a provider get the tokens of their own issuers", async () => {
  const provider = clientCredentials(secrets);
  const agentOf = (issuer: string) => {
    const flow = { clientCredentials: { tokenUrl: `${origin}/${issuer}`, scopes } };
    const answer = () => json({ access_token: issuer, refresh_token: `refresh-${issuer}` });
    return clientWith(flow, provider, answer, () => issuer);
  };
  const [one, other] = [await agentOf("one"), await agentOf("other")];
  await one.client.getTask({ id: "t" });
  await other.client.getTask({ id: "t" });
  await one.client.getTask({ id: "t" });
  assert.deepEqual(
    [...one.seen, ...other.seen].map(({ headers }) => headers.get("Authorization")),
    [basicSecrets, "Bearer one", "Bearer one", basicSecrets, "Bearer other"],
  );
});

test("a refresh endpoint of the card that cannot be used fails only calls that refresh a token", async () => {
  for (const [refreshUrl, code] of [
    ["https://evil.example/refresh", "ORIGIN_NOT_ALLOWED"],
    ["here", "CARD_INVALID"],
  ] as const) {
    const flow = { clientCredentials: { tokenUrl, refreshUrl, scopes } };
    const providerFor = (stored: Token) =>
      clientCredentials({ ...secrets, tokenStore: { load: () => stored, save: () => undefined } });
    const answer = () => json({ access_token: "t1" });
    const kept = { value: "t1", expires: Number.POSITIVE_INFINITY, refresh: "r" };
    const { client, forms } = await clientWith(flow, providerFor(kept), answer);
    await client.getTask({ id: "t" });
    assert.deepEqual(forms, []);
    const expired = await clientWith(flow, providerFor({ ...kept, expires: 0 }), answer);
    await assert.rejects(expired.client.getTask({ id: "t" }), { code });
    assert.deepEqual(expired.forms, []);
    const first = await clientWith(flow, clientCredentials(secrets), answer);
    await first.client.getTask({ id: "t" });
    assert.equal(first.forms.length, 1);
  }
});
