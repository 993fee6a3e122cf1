import assert from "node:assert/strict";
import { test } from "vitest";
import { clientCredentials } from "../../../src/client/index.js";
import { json, origin } from "../scripted.js";
import { clientWith, scopes, secrets, tokenUrl } from "./oauth-client.js";

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

for (const [code, failure] of [
  ["INVALID_RESPONSE", () => new Response("<html>", { status: 502 })],
  ["CREDENTIALS_MISSING", () => json({}, { status: 503 })],
  ["CREDENTIALS_MISSING", () => json({ error: "slow_down" }, { status: 429 })],
  ["CREDENTIALS_MISSING", () => json({}, { status: 408 })],
] as const) {
  test(`a refresh that fails on the way is that call's failure, not the end of the login [${code} ${failure().status}]`, async () => {
    const flow = { clientCredentials: { tokenUrl, scopes } };
    const { client, forms } = await clientWith(
      flow,
      clientCredentials(secrets),
      ({ grant_type: grant }, _request, times) => {
        if (grant === "refresh_token" && times === 1) return failure();
        return json({ access_token: "t1", refresh_token: "r", expires_in: 0 });
      },
    );
    await client.getTask({ id: "t" });
    await assert.rejects(client.getTask({ id: "t" }), { code });
    await client.getTask({ id: "t" });
    assert.deepEqual(
      forms.map(({ grant_type: grant }) => grant),
      ["client_credentials", "refresh_token", "refresh_token"],
    );
  });
}

test("the lifetime of a token may be a number in a string", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const answer = () => json({ access_token: "t1", expires_in: "0" });
  const { client, forms } = await clientWith(flow, clientCredentials(secrets), answer);
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" });
  assert.equal(forms.length, 2);
});

test("agents of one issuer that need different scopes get tokens of their own from a shared provider", async () => {
  const provider = clientCredentials(secrets);
  for (const scope of ["read", "write"]) {
    const flow = { clientCredentials: { tokenUrl, scopes: { [scope]: "" } } };
    const answer = () => json({ access_token: "t1" });
    const { client, forms } = await clientWith(flow, provider, answer, undefined, [scope]);
    await client.getTask({ id: "t" });
    assert.deepEqual(forms, [{ grant_type: "client_credentials", scope }]);
  }
});

test("a token store without types may have null instead of a token", async () => {
  const flow = { clientCredentials: { tokenUrl, scopes } };
  const tokenStore = { load: () => null as never, save() {} };
  const answer = () => json({ access_token: "t1" });
  const { client, forms } = await clientWith(flow, clientCredentials({ ...secrets, tokenStore }), answer);
  await client.getTask({ id: "t" });
  assert.equal(forms.length, 1);
});

test("the error for an endpoint of an issuer does not say that the card names it", async () => {
  const flow = { clientCredentials: { tokenUrl: "https://other.example/token", scopes } };
  const { client } = await clientWith(flow, clientCredentials(secrets), () => json({}));
  await assert.rejects(client.getTask({ id: "t" }), {
    code: "ORIGIN_NOT_ALLOWED",
    message: `The client's secrets are not sent to https://other.example/token: its origin is not allowed. Add it to "origins", or name the endpoint in the provider's options`,
  });
  const missing = await clientWith(
    { clientCredentials: { tokenUrl: "", scopes } },
    clientCredentials(secrets),
    () => json({}),
  );
  await assert.rejects(missing.client.getTask({ id: "t" }), {
    code: "CARD_INVALID",
    message: "An OAuth endpoint is missing or not a URL in the card or in the issuer's metadata",
  });
});
