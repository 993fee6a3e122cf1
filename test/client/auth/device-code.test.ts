import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { type Client, ClientError, type DevicePrompt, deviceCode } from "../../../src/client/index.js";
import { gate } from "../../support/both.js";
import { fakeTimers } from "../../support/fake-timers.js";
import { json, origin } from "../scripted.js";
import { clientWith, scopes, tokenUrl } from "./oauth-client.js";

const deviceFlow = { deviceCode: { deviceAuthorizationUrl: `${origin}/device`, tokenUrl, scopes } };
const begun = {
  device_code: "d",
  user_code: "ABCD",
  verification_uri: "https://go.example",
  interval: 0,
  expires_in: 60,
};

/** Lets the flow proceed as far as it can without its timers. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
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

test("a client with a secret authenticates to both endpoints of the device flow", async () => {
  const provider = deviceCode({ clientId: "me", clientSecret: "s:cret", prompt: () => undefined });
  const { client, forms } = await clientWith(deviceFlow, provider, (_form, { url }) =>
    json(url.pathname === "/device" ? begun : { access_token: "t1" }),
  );
  await client.getTask({ id: "t" });
  assert.deepEqual(forms[0], { client_id: "me", client_secret: "s:cret", scope: "read" });
  assert.equal(forms[1]?.client_secret, "s:cret");
});

/** Advances the time step by step, and asserts the number of requests to the issuer after each step. */
async function expectRequests(
  forms: readonly unknown[],
  steps: readonly (readonly [seconds: number, requests: number])[],
): Promise<void> {
  for (const [seconds, requests] of steps) {
    vi.advanceTimersByTime(seconds * 1000);
    await settle();
    assert.equal(forms.length, requests, `after ${seconds} more seconds`);
  }
}

test("the device flow slows down when it is asked to", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  // Some issuers ask for it with the status of a rate limit.
  for (const status of [400, 429]) {
    const provider = deviceCode({ clientId: "me", prompt: () => undefined });
    const answers = [
      json({ ...begun, interval: 5 }),
      json({ error: "slow_down" }, { status }),
      json({ error: "authorization_pending" }, { status: 400 }),
      json({ access_token: "t1" }),
    ];
    const { client, forms } = await clientWith(deviceFlow, provider, () => answers.shift()!);
    const call = client.getTask({ id: "t" });
    await expectRequests(forms, [
      [0, 1],
      [5, 2],
      [9, 2],
      [1, 3],
      [9, 3],
      [1, 4],
    ]);
    assert.equal((await call).id, "t");
  }
});

test("a device flow polls half as often after each temporary failure, until the issuer answers again", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const pending = () => json({ error: "authorization_pending" }, { status: 400 });
  const failures: readonly (() => Response)[] = [
    () => {
      throw new TypeError("fetch failed");
    },
    () => new Response("<html>", { status: 503, headers: { "Content-Type": "text/html" } }),
    () => json({ error: "temporarily_unavailable" }, { status: 503 }),
    () => json({}, { status: 408 }),
    () => new Response("", { status: 429 }),
  ];
  for (const failure of failures) {
    const provider = deviceCode({ clientId: "me", prompt: () => undefined });
    const answers = [() => json({ ...begun, interval: 5, expires_in: 600 }), failure, failure, pending];
    const { client, forms } = await clientWith(deviceFlow, provider, () =>
      (answers.shift() ?? (() => json({ access_token: "t1" })))(),
    );
    const call = client.getTask({ id: "t" });
    await expectRequests(forms, [
      [0, 1],
      [5, 2],
      [9, 2],
      [1, 3],
      [19, 3],
      [1, 4],
      [5, 5],
    ]);
    assert.equal((await call).id, "t");
  }
});

test("a device flow whose polls all fail ends with the last failure as the cause when the code expires", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const provider = deviceCode({ clientId: "me", prompt: () => undefined });
  const { client } = await clientWith(deviceFlow, provider, (_form, { url }) => {
    if (url.pathname === "/device") return json(begun);
    throw new TypeError("fetch failed");
  });
  const ended = assert.rejects(client.getTask({ id: "t" }), (error) => {
    assert.ok(error instanceof ClientError && error.cause instanceof ClientError, String(error));
    assert.deepEqual([error.code, error.cause.code], ["CREDENTIALS_MISSING", "UNREACHABLE"]);
    assert.match(error.message, /the code has expired/);
    return true;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
});

test("a device flow ends at once, and is not repeated, when the answer to a poll is neither JSON nor temporary", async () => {
  for (const call of [
    (client: Client) => client.getTask({ id: "t" }),
    (client: Client) => client.stream("hello").result(),
  ]) {
    const provider = deviceCode({ clientId: "me", prompt: () => undefined });
    const { client, forms } = await clientWith(deviceFlow, provider, (_form, { url }) =>
      url.pathname === "/device" ? json(begun) : new Response("<html>", { status: 404 }),
    );
    await assert.rejects(call(client), { code: "INVALID_RESPONSE", httpStatus: 404 });
    assert.equal(forms.length, 2);
  }
});

test("a device flow ends within an hour and asks at most ten times a second, whatever the issuer says", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  for (const [interval, waits] of [
    [
      1e12,
      [
        [3_599_000, 0],
        [1_000, 1],
      ],
    ],
    [
      0,
      [
        [90, 0],
        [10, 1],
        [90, 1],
        [10, 2],
        [3_600_000, 3],
      ],
    ],
  ] as const) {
    const prompts: DevicePrompt[] = [];
    const provider = deviceCode({ clientId: "me", prompt: (prompt) => prompts.push(prompt) });
    let polls = 0;
    const { client } = await clientWith(deviceFlow, provider, (_form, { url }) => {
      if (url.pathname === "/device") return json({ ...begun, interval, expires_in: 1e12 });
      polls += 1;
      return json({ error: "authorization_pending" }, { status: 400 });
    });
    const call = client.getTask({ id: "t" }, { timeout: 1e6 });
    const ended = assert.rejects(call, { code: "CREDENTIALS_MISSING", message: /expired/ });
    for (const [milliseconds, expected] of waits) {
      await settle();
      vi.advanceTimersByTime(milliseconds);
      await settle();
      assert.equal(polls, expected, `${milliseconds} ms later`);
    }
    await ended;
    assert.equal(prompts[0]?.expiresIn, 3600);
  }
});

test("a code that cannot be shown to the person is an error of the call", async () => {
  const prompt = () => Promise.reject(new Error("There is no display"));
  const provider = deviceCode({ clientId: "me", prompt });
  const { client, forms } = await clientWith(deviceFlow, provider, (_form, { url }) =>
    json(url.pathname === "/device" ? begun : { access_token: "t1" }),
  );
  await assert.rejects(client.getTask({ id: "t" }), /There is no display/);
  assert.equal(forms.length, 1);
});

test("a prompt that does not end does not delay the polls, and ends the call when it rejects", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const dialog = gate();
  const prompt = async () => {
    await dialog.opened;
    throw new Error("The dialog was closed");
  };
  const provider = deviceCode({ clientId: "me", prompt });
  const { client, forms } = await clientWith(deviceFlow, provider, (_form, { url }) =>
    url.pathname === "/device" ? json(begun) : json({ error: "authorization_pending" }, { status: 400 }),
  );
  const ended = assert.rejects(client.getTask({ id: "t" }), /The dialog was closed/);
  await vi.advanceTimersByTimeAsync(250);
  assert.equal(forms.length, 3);
  dialog.open();
  await ended;
  await vi.advanceTimersByTimeAsync(60_000);
  assert.equal(forms.length, 3);
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
  await assert.rejects(failing(begun, {}), missing(/the response has none/));
  await assert.rejects(failing({ user_code: "A" }, {}), missing(/lacks a device code/));
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
