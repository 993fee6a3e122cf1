import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientAuthenticator } from "../../../src/client/auth/authenticator.js";
import { basic, ClientError, type Credentials } from "../../../src/client/index.js";
import type { SecurityRequirement, SecurityScheme } from "../../../src/protocol/model.js";
import { cardOf, clientOf, connect, json, origin, result, scripted, task } from "../scripted.js";

const key = (location: string, name: string): SecurityScheme => ({
  apiKeySecurityScheme: { location, name },
});
const schemes: Record<string, SecurityScheme> = {
  header: key("header", "X-Api-Key"),
  query: key("query", "api_key"),
  cookie: key("cookie", "session"),
  cookie2: key("cookie", "second"),
  bearer: { httpAuthSecurityScheme: { scheme: "bearer" } },
  basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
  hoba: { httpAuthSecurityScheme: { scheme: "HOBA" } },
  inherited: { httpAuthSecurityScheme: { scheme: "constructor" } },
  oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://id.example" } },
  oauth: {
    oauth2SecurityScheme: {
      flows: {
        authorizationCode: {
          authorizationUrl: "https://id.example/a",
          tokenUrl: "https://id.example/t",
          scopes: {},
        },
      },
    },
  },
  tls: { mtlsSecurityScheme: {} },
  odd: key("pocket", "x"),
};

function needs(...names: (string | string[])[]): SecurityRequirement[] {
  return names.map((way) => ({
    schemes: Object.fromEntries([way].flat().map((name) => [name, { list: [] }])),
  }));
}

/** The message of the error when no alternative can be used: it names every condition. */
const unusable =
  /^The agent requires credentials for "\w+"\. A usable credential has a value in the option "credentials" and a known scheme in the card, and every interface that the client uses can send it$/;

/** What a call carries for the given needs and credentials. */
async function carried(securityRequirements: SecurityRequirement[] | undefined, credentials: Credentials) {
  const card = cardOf({ securitySchemes: schemes, ...(securityRequirements && { securityRequirements }) });
  const { client, seen } = await clientOf((request) => result(request, task), { card, credentials });
  await client.getTask({ id: "t" });
  const { headers, url } = seen[0]!;
  return Object.fromEntries(
    [
      ["authorization", headers.get("Authorization")],
      ["key", headers.get("X-Api-Key")],
      ["cookie", headers.get("Cookie")],
      ["query", url.search],
    ].filter(([, value]) => value),
  );
}

for (const [name, value, expected] of [
  ["header", "k", { key: "k" }],
  ["query", "k&1", { query: "?api_key=k%261" }],
  ["cookie", "k", { cookie: "session=k" }],
  ["bearer", "t", { authorization: "Bearer t" }],
  ["basic", basic("user", "pässword"), { authorization: "Basic dXNlcjpww6Rzc3dvcmQ=" }],
  ["hoba", "x", { authorization: "HOBA x" }],
  ["inherited", "x", { authorization: "constructor x" }],
  ["oidc", "t", { authorization: "Bearer t" }],
  ["oauth", "t", { authorization: "Bearer t" }],
  ["tls", "", {}],
] as const) {
  test(`AUTHN-02, AUTHN-06, CARD-21: the credential of scheme "${name}" goes where the scheme says`, async () => {
    assert.deepEqual(await carried(needs(name), { [name]: value }), expected);
  });
}

test("CARD-16, AUTHN-06: entries are alternatives, the schemes of one are needed together", async () => {
  const wanted = needs(["header", "bearer"], ["query", "cookie", "cookie2"]);
  assert.deepEqual(await carried(wanted, { header: "k", bearer: "t", query: "q" }), {
    key: "k",
    authorization: "Bearer t",
  });
  assert.deepEqual(await carried(wanted, { bearer: "t", query: "q", cookie: "c", cookie2: "d" }), {
    query: "?api_key=q",
    cookie: "session=c; second=d",
  });
});

test("CARD-17: anonymous access is an alternative behind those with credentials", async () => {
  const wanted = [{}, ...needs("bearer")];
  assert.deepEqual(await carried(wanted, { bearer: "t" }), { authorization: "Bearer t" });
  assert.deepEqual(await carried(wanted, { header: "k" }), {});
});

test("a card that names schemes and no needs leaves it to the caller which to use", async () => {
  assert.deepEqual(await carried(undefined, { bearer: "t" }), { authorization: "Bearer t" });
  assert.deepEqual(await carried(undefined, { nothing: "t" }), {});
  const { client, seen } = await clientOf((request) => result(request, task), {
    credentials: { bearer: "t" },
  });
  await client.getTask({ id: "t" });
  assert.equal(seen[0]?.headers.get("Authorization"), null);
});

test("a provider for all schemes is told what is needed", async () => {
  const asked: unknown[] = [];
  const wanted = [{ schemes: { header: {}, oauth: { list: ["read", "write"] } } }];
  const sent = await carried(wanted, ({ name, scopes, scheme }) => {
    asked.push([name, scopes, Object.keys(scheme)]);
    return name === "header" ? "k" : Promise.resolve("t");
  });
  assert.deepEqual(sent, { key: "k", authorization: "Bearer t" });
  assert.deepEqual(asked, [
    ["header", [], ["apiKeySecurityScheme"]],
    ["oauth", ["read", "write"], ["oauth2SecurityScheme"]],
  ]);
});

test("missing credentials are a local error that names the ways in", async () => {
  const wanted = needs(["header", "bearer"], "query", "constructor");
  await assert.rejects(carried(wanted, { header: "k" }), (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.code, "CREDENTIALS_MISSING");
    assert.match(error.message, /"header" with "bearer", or "query"/);
    return true;
  });
});

test("a credential that is not a string counts as missing", async () => {
  // As `localStorage.getItem` returns it, in a program without types.
  const absent = null as unknown as string;
  for (const credentials of [{ bearer: absent }, { bearer: () => absent }])
    await assert.rejects(carried(needs("bearer"), credentials), { code: "CREDENTIALS_MISSING" });
});

test("the error for credentials whose scheme in the card is unknown does not say that they are missing", async () => {
  // A scheme of a later version, which the types do not have.
  const unknown: SecurityScheme = { hmacSecurityScheme: {} } as unknown as SecurityScheme;
  const card = cardOf({ securitySchemes: { signed: unknown }, securityRequirements: needs("signed") });
  const credentials = { signed: "k" };
  const { client } = await clientOf((request) => result(request, task), { card, credentials });
  await assert.rejects(client.getTask({ id: "t" }), { code: "CREDENTIALS_MISSING", message: unusable });
});

test("SEC-12, SEC-15: a credential that cannot stand in its place is refused without being quoted", async () => {
  for (const [name, value] of [
    ["bearer", "se\ncret"],
    ["header", "se\0cret"],
    ["cookie", "secret;x=1"],
    ["odd", "secret"],
  ] as const) {
    await assert.rejects(carried(needs(name), { [name]: value }), (error) => {
      assert.ok(error instanceof ClientError, String(error));
      assert.doesNotMatch(error.message, /cret/);
      return true;
    });
  }
});

for (const [location, name] of [
  ["header", "Api Key"],
  ["cookie", "session=x; second"],
  ["cookie", "session=x"],
] as const) {
  test(`a ${location} that the card gives the impossible name "${name}" is refused`, async () => {
    const card = cardOf({
      securitySchemes: { odd: key(location, name) },
      securityRequirements: needs("odd"),
    });
    const credentials = { odd: "k" };
    const { client } = await clientOf((request) => result(request, task), { card, credentials });
    await assert.rejects(client.getTask({ id: "t" }), {
      code: "INVALID_OPTION",
      message: `A credential, or its scheme in the card, has characters that are not allowed in a ${location}`,
    });
  });
}

test("credentials are missing when no alternative can be sent", async () => {
  const { fetch } = scripted(() => json({}));
  const authenticator = new ClientAuthenticator({
    ...{ credentials: { query: "k" }, fetch, allows: () => true, isSendable: () => false },
    card: () => cardOf({ securitySchemes: schemes, securityRequirements: needs("query") }),
  });
  await assert.rejects(authenticator.grant(new AbortController().signal), {
    code: "CREDENTIALS_MISSING",
    message: unusable,
  });
});

test("AUTHN-09: credentials go to the agent's own origin, and elsewhere only with the caller's consent", async () => {
  const elsewhere = { url: "https://other.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const agent = (card = cardOf({ supportedInterfaces: [elsewhere] })) => scripted(() => json(card));
  const credentials = { bearer: "t" };
  const refused = { name: "ClientError", code: "ORIGIN_NOT_ALLOWED", message: /https:\/\/other\.example/ };
  await assert.rejects(connect(origin, { ...agent(), credentials }), refused);
  await assert.rejects(connect(origin, { ...agent(), headers: { Authorization: "x" } }), refused);
  await connect(origin, { ...agent(), credentials, origins: ["https://other.example/any/path"] });
  await connect(origin, agent());
});

test("AUTHN-09: a card in the place of a URL does not decide who gets credentials and headers", async () => {
  const card = cardOf({ securitySchemes: schemes, securityRequirements: needs("bearer") });
  const agent = () => scripted((request) => result(request, task));
  for (const secrets of [{ credentials: { bearer: "t" } }, { headers: { "X-Key": "k" } }]) {
    for (const origins of [[], ["https://other.example"]]) {
      const { fetch, seen } = agent();
      await assert.rejects(connect(card, { fetch, origins, ...secrets }), {
        code: "ORIGIN_NOT_ALLOWED",
        message: /https:\/\/agent\.example.*"origins"/,
      });
      assert.equal(seen.length, 0);
    }
  }
  const { fetch, seen } = agent();
  const named = await connect(card, { fetch, origins: [origin], credentials: { bearer: "t" } });
  await named.getTask({ id: "t" });
  assert.equal(seen[0]?.headers.get("Authorization"), "Bearer t");
  const anonymous = agent();
  await (await connect(card, { fetch: anonymous.fetch })).getTask({ id: "t" });
  assert.equal(anonymous.seen[0]?.headers.get("Authorization"), null);
});

test("AUTHN-09: of several interfaces those are used that may have the credentials", async () => {
  const elsewhere = { url: "https://other.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const card = cardOf({ supportedInterfaces: [elsewhere, ...cardOf().supportedInterfaces] });
  const warnings: object[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => warnings.push(facts) };
  const client = await connect(origin, {
    ...scripted(() => json(card)),
    credentials: { bearer: "t" },
    logger,
  });
  assert.equal(client.agentInterface.url, `${origin}/a2a`);
  assert.deepEqual(warnings, [{ origins: ["https://other.example"] }]);
});

test("AUTHN-09: redirects of calls are followed on the same origin only", async () => {
  const at =
    (location: string, status = 307) =>
    (request: { url: URL }) =>
      request.url.pathname === "/a2a"
        ? new Response(null, { status, headers: { Location: location } })
        : undefined;
  const call = async (location: string, status?: number) => {
    const moved = at(location, status);
    const { client, seen } = await clientOf((request) => moved(request) ?? result(request, task), {
      card: cardOf({ securitySchemes: schemes, securityRequirements: needs(["bearer", "query"]) }),
      credentials: { bearer: "t", query: "q" },
      retry: false,
    });
    await client.getTask({ id: "t" });
    return seen[1]!;
  };
  const { headers, url, method } = await call("/a2a/");
  assert.equal(`${method} ${url.pathname}${url.search}`, "POST /a2a/?api_key=q");
  assert.equal(headers.get("Authorization"), "Bearer t");
  for (const [location, status] of [["https://evil.example/"], ["/a2a", 307], ["/other", 302]] as const) {
    await assert.rejects(call(location, status), { name: "ClientError", code: "REDIRECTED" });
  }
});
