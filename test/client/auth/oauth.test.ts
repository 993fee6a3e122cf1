import assert from "node:assert/strict";
import { test, vi } from "vitest";
import {
  type CredentialProvider,
  clientCredentials,
  type DevicePrompt,
  deviceCode,
  type Token,
} from "../../../src/client/index.js";
import type { OAuthFlows } from "../../../src/model.js";
import { fakeTimers } from "../../support/fake-timers.js";
import { cardOf, clientOf, json, origin, result, type Seen, task } from "../scripted.js";

const scopes = { read: "Read" };
const tokenUrl = `${origin}/token`;
const secrets = { clientId: "me", clientSecret: "s:cret" };

/** A client of an agent whose card offers a flow, with a script for the issuer. */
async function clientWith(
  flows: OAuthFlows,
  provider: CredentialProvider,
  issuer: (form: Record<string, string>, request: Seen, times: number) => Response,
  good: () => string = () => "t1",
) {
  const card = cardOf({
    securitySchemes: { oauth: { oauth2SecurityScheme: { flows } } },
    securityRequirements: [{ schemes: { oauth: { list: ["read"] } } }],
  });
  const forms: Record<string, string>[] = [];
  const answer = (request: Seen): Response => {
    if (request.json === undefined) {
      const form = Object.fromEntries(new URLSearchParams(request.text));
      forms.push(form);
      return issuer(form, request, forms.length - 1);
    }
    const isGood = request.headers.get("Authorization") === `Bearer ${good()}`;
    return isGood ? result(request, task) : new Response("", { status: 401 });
  };
  return { ...(await clientOf(answer, { card, credentials: { oauth: provider }, retry: false })), forms };
}

test("AUTHN-06: client credentials get a token, use it again, and ask for the scopes of the card", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const { client, forms, seen } = await clientWith(flow, clientCredentials(secrets), () =>
    json({ access_token: "t1", token_type: "Bearer", expires_in: 3600 }),
  );
  await Promise.all([client.getTask({ id: "t" }), client.getTask({ id: "t" })]);
  await client.getTask({ id: "t" });
  assert.deepEqual(forms, [{ grant_type: "client_credentials", scope: "read" }]);
  assert.equal(seen[0]?.headers.get("Authorization"), `Basic ${btoa("me:s%3Acret")}`);
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

test("a refresh token is used first, and when it is not taken the flow begins anew", async () => {
  const flow = { clientCredentials: { tokenUrl, refreshUrl: `${origin}/refresh`, scopes } };
  const { client, forms, seen } = await clientWith(
    flow,
    clientCredentials(secrets),
    ({ grant_type: grant }, _request, times) => {
      if (grant !== "refresh_token")
        return json({ access_token: `t${times}`, refresh_token: "r", expires_in: 0 });
      return times === 1
        ? json({ access_token: "t1", expires_in: 0 })
        : json({ error: "invalid_grant" }, { status: 400 });
    },
    () => "t3",
  );
  await client.getTask({ id: "t" }).catch(() => undefined);
  await client.getTask({ id: "t" });
  assert.deepEqual(
    forms.map(({ grant_type: grant }) => grant),
    ["client_credentials", "refresh_token", "refresh_token", "client_credentials"],
  );
  assert.deepEqual(forms[1], {
    grant_type: "refresh_token",
    refresh_token: "r",
    client_id: "me",
    client_secret: "s:cret",
  });
  assert.ok(seen.some(({ url }) => url.pathname === "/refresh"));
});

test("a refresh that fails on the way is that call's failure, not the end of the login", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const { client, forms } = await clientWith(
    flow,
    clientCredentials(secrets),
    ({ grant_type: grant }, _request, times) => {
      if (grant === "refresh_token" && times === 1) return new Response("<html>", { status: 502 });
      return json({ access_token: "t1", refresh_token: "r", expires_in: 0 });
    },
  );
  await client.getTask({ id: "t" });
  await assert.rejects(client.getTask({ id: "t" }), { code: "INVALID_RESPONSE" });
  await client.getTask({ id: "t" });
  assert.equal(forms.length, 3);
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
});

test("an issuer that refuses or talks nonsense is a typed error", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  for (const [answer, expected] of [
    [
      () => json({ error: "invalid_client" }, { status: 401 }),
      { code: "CREDENTIALS_MISSING", message: /invalid_client/ },
    ],
    [() => json({}, { status: 500 }), { code: "CREDENTIALS_MISSING", message: /HTTP 500/ }],
    [() => json({ token: "x" }), { code: "CREDENTIALS_MISSING", message: /none in the answer/ }],
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

const deviceFlow = { deviceCode: { deviceAuthorizationUrl: `${origin}/device`, tokenUrl, scopes } };
const begun = {
  device_code: "d",
  user_code: "ABCD",
  verification_uri: "https://go.example",
  interval: 0,
  expires_in: 60,
};

test("AUTHN-06: the device flow shows the code, waits for the person, and remembers the token", async () => {
  const prompts: DevicePrompt[] = [];
  const provider = deviceCode({ clientId: "me", prompt: (prompt) => prompts.push(prompt) });
  const { client, forms } = await clientWith(deviceFlow, provider, (_form, { url }, times) => {
    if (url.pathname === "/device")
      return json({ ...begun, verification_uri_complete: "https://go.example/ABCD" });
    return times < 3
      ? json({ error: "authorization_pending" }, { status: 400 })
      : json({ access_token: "t1" });
  });
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  assert.deepEqual(prompts, [
    {
      userCode: "ABCD",
      verificationUri: "https://go.example",
      verificationUriComplete: "https://go.example/ABCD",
      expiresIn: 60,
    },
  ]);
  assert.deepEqual(forms[0], { client_id: "me", scope: "read" });
  assert.deepEqual(forms[1], {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: "d",
    client_id: "me",
  });
  assert.equal(forms.length, 4);
});

test("the device flow slows down when it is asked to", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const provider = deviceCode({ clientId: "me", prompt: () => undefined });
  const answers = [
    json({ ...begun, interval: 5 }),
    json({ error: "slow_down" }, { status: 400 }),
    json({ access_token: "t1" }),
  ];
  const { client, forms } = await clientWith(deviceFlow, provider, () => answers.shift()!);
  const call = client.getTask({ id: "t" });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const [seconds, expected] of [
    [0, 1],
    [5, 2],
    [9, 2],
    [1, 3],
  ] as const) {
    vi.advanceTimersByTime(seconds * 1000);
    for (let turn = 0; turn < 20; turn++) await settle();
    assert.equal(forms.length, expected, `after ${seconds} more seconds`);
  }
  assert.equal((await call).id, "t");
});

test("a person who declines, a code that expires, or no code at all is a typed error", async () => {
  const failing = async (first: object, second: object) => {
    const provider = deviceCode({ clientId: "me", prompt: () => undefined });
    const { client } = await clientWith(deviceFlow, provider, (_form, { url }) =>
      url.pathname === "/device" ? json(first, { status: "error" in first ? 400 : 200 }) : json(second),
    );
    return client.getTask({ id: "t" });
  };
  const missing = (message: RegExp) => ({ code: "CREDENTIALS_MISSING", message });
  await assert.rejects(failing(begun, { error: "access_denied" }), missing(/access_denied/));
  await assert.rejects(failing({ ...begun, expires_in: 0 }, {}), missing(/expired/));
  await assert.rejects(failing(begun, {}), missing(/none in the answer/));
  await assert.rejects(failing({ user_code: "A" }, {}), missing(/no device code/));
  await assert.rejects(failing({ error: "invalid_client" }, {}), missing(/invalid_client/));
});

test("a device flow may be refreshed, and may have endpoints of the caller's", async () => {
  const provider = deviceCode({
    clientId: "me",
    prompt: () => undefined,
    deviceAuthorizationUrl: `${origin}/device`,
    tokenUrl,
  });
  const flow = { clientCredentials: { tokenUrl: "https://evil.example/t", scopes } };
  const { client, forms } = await clientWith(flow, provider, ({ grant_type: grant }, { url }) => {
    if (url.pathname === "/device") return json({ ...begun, expires_in: undefined });
    return json({ access_token: "t1", refresh_token: "r", expires_in: grant === "refresh_token" ? 3600 : 0 });
  });
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  assert.equal(forms.at(-1)?.grant_type, "refresh_token");
  const foreign = await clientWith(
    { password: {} },
    deviceCode({ clientId: "me", prompt: () => undefined }),
    () => json({}),
  );
  await assert.rejects(foreign.client.getTask({ id: "t" }), { code: "CREDENTIALS_MISSING" });
});

test("a token is kept for the next run of the program, and what was kept is used before another is obtained", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const saved: Token[] = [];
  let loads = 0;
  const keep = {
    load: () => {
      loads += 1;
      return saved.at(-1);
    },
    save: (token: Token) => void saved.push(token),
  };
  const answer = () => json({ access_token: "t1", refresh_token: "r", expires_in: 3600 });
  const first = await clientWith(flow, clientCredentials({ ...secrets, keep }), answer);
  await Promise.all([first.client.getTask({ id: "t" }), first.client.getTask({ id: "t" })]);
  assert.deepEqual(
    saved.map(({ value, refresh }) => [value, refresh]),
    [["t1", "r"]],
  );
  assert.equal(loads, 1);
  const second = await clientWith(flow, clientCredentials({ ...secrets, keep }), answer);
  await second.client.getTask({ id: "t" });
  assert.deepEqual(second.forms, []);
});
