import assert from "node:assert/strict";
import { test } from "vitest";
import { type CardInput, defineAgent, reply, type SecurityScheme } from "../../src/index.js";
import {
  type AuthOptions,
  apiKeys,
  basicUsers,
  bearerTokens,
  CardError,
  clientCertificates,
  createApp,
  jsonWebTokens,
  oauth2,
  openIdConnect,
  type ServerOptions,
  type Verifier,
} from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { recorder } from "./guarded.js";

const agentOf = (card: CardInput) => defineAgent({ card, execute: async () => reply("hi") });

function start(card: CardInput, auth: AuthOptions, more: ServerOptions = {}): void {
  void createApp(agentOf(card), { auth, ...more }).close(0);
}

/** What is wrong with a card that has one scheme, when it is served with one verifier. */
function problems(scheme: SecurityScheme, verifier: Verifier | undefined): readonly string[] {
  const auth = verifier === undefined ? {} : { verifiers: { door: verifier } };
  try {
    start(cardOf({ door: scheme }, ["door"]), auth);
  } catch (error) {
    assert.ok(error instanceof CardError, String(error));
    return error.problems;
  }
  return [];
}

const flows = { clientCredentials: { tokenUrl: "https://issuer.example/token", scopes: {} } };
const audience = "https://agent.example";
const keys = { keys: [] };
const kinds: Record<string, SecurityScheme> = {
  ...schemes,
  oauth: { oauth2SecurityScheme: { flows, oauth2MetadataUrl: "https://issuer.example/metadata" } },
  openId: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://issuer.example/openid" } },
};
const verifiers: Record<string, [verifier: Verifier, fits: string[]]> = {
  apiKeys: [apiKeys({ secret: "a" }), ["key", "queryKey", "cookieKey"]],
  basicUsers: [basicUsers({ user: "password" }), ["basic"]],
  bearerTokens: [bearerTokens({ token: "a" }), ["bearer", "oauth", "openId"]],
  jsonWebTokens: [
    jsonWebTokens({ issuer: "https://issuer.example", audience, keys }),
    ["bearer", "oauth", "openId"],
  ],
  oauth2: [oauth2({ audience }), ["oauth"]],
  openIdConnect: [openIdConnect({ audience }), ["openId"]],
  clientCertificates: [clientCertificates(), ["mtls"]],
};

for (const [name, [verifier, fits]] of Object.entries(verifiers)) {
  test(`CARD-13, CARD-15: ${name} vouches for ${fits.join(", ")} and for nothing else`, () => {
    for (const [kind, scheme] of Object.entries(kinds)) {
      const found = problems(scheme, verifier);
      if (fits.includes(kind)) assert.deepEqual(found, [], kind);
      else assert.match(found.join(), /^securitySchemes\.door .*, which is what its verifier checks$/, kind);
    }
  });
}

test("CARD-13: a scheme that nothing checks keeps the server from starting", () => {
  assert.deepEqual(problems(schemes.bearer, undefined), [
    "securitySchemes.door has no verifier: give one as auth.verifiers.door, or auth.authenticate",
  ]);
  start(cardOf({ door: schemes.bearer }, ["door"]), { authenticate: () => undefined });
});

const misfits: [name: string, scheme: SecurityScheme, verifier: Verifier, problem: string][] = [
  [
    "CARD-21: a key in no place",
    { apiKeySecurityScheme: { location: "body", name: "key" } },
    apiKeys({ secret: "a" }),
    'has the location "body", which is not one of header, query, cookie',
  ],
  [
    "CARD-21: a place that every object has",
    { apiKeySecurityScheme: { location: "constructor", name: "key" } },
    apiKeys({ secret: "a" }),
    'has the location "constructor", which is not one of header, query, cookie',
  ],
  [
    "SEC-15: an HTTP scheme that is no word",
    { httpAuthSecurityScheme: { scheme: "Bear er" } },
    bearerTokens({ token: "a" }),
    'has the HTTP scheme "Bear er", which is not a token',
  ],
  [
    "OAuth 2.0 without metadata",
    { oauth2SecurityScheme: { flows } },
    oauth2({ audience }),
    "has no oauth2MetadataUrl: give its verifier issuer and keys",
  ],
  [
    "OpenID Connect in the open",
    { openIdConnectSecurityScheme: { openIdConnectUrl: "http://issuer.example/openid" } },
    openIdConnect({ audience }),
    'needs an https URL instead of "http://issuer.example/openid"',
  ],
];
for (const [name, scheme, verifier, problem] of misfits) {
  test(`${name} keeps the server from starting`, () => {
    assert.deepEqual(problems(scheme, verifier), [`securitySchemes.door ${problem}`]);
  });
}

test("SEC-15: a scope that no token can carry keeps the server from starting", () => {
  const card = cardOf({ door: schemes.bearer }, { door: ["read", "read write", 'a"b'] });
  assert.throws(
    () => start(card, { verifiers: { door: bearerTokens({ token: "a" }) } }),
    (error: unknown) => {
      assert.ok(error instanceof CardError);
      assert.deepEqual(error.problems, [
        'securityRequirements[0].schemes.door names the scope "read write", which no token can carry',
        'securityRequirements[0].schemes.door names the scope "a\\"b", which no token can carry',
      ]);
      return true;
    },
  );
});

test("a verifier for a scheme that no card declares is a mistake in the options", () => {
  const card = cardOf({ door: schemes.key }, ["door"]);
  const door = apiKeys({ secret: "a" });
  assert.throws(() => start(card, { verifiers: { door, gate: door } }), {
    name: "TypeError",
    message: 'auth.verifiers: no card has a security scheme "gate"',
  });
  assert.throws(() => start(card, { verifiers: { door }, authenticate: () => undefined }), {
    name: "TypeError",
    message: /not both/,
  });
});

test("options of the wrong kind are refused at once", () => {
  for (const [auth, message] of [
    [{ authorize: true }, "auth.authorize must be a function"],
    [{ scope: { owner: "a", tenant: "" } }, "auth.scope must be a function"],
    [{ audit: [] }, "auth.audit must be a function"],
    [{ authenticate: "token" }, "auth.authenticate must be a function"],
    [{ tenants: "acme" }, "auth.tenants must be a list or a function"],
  ] as const) {
    assert.throws(() => start(cardOf({}), auth as unknown as AuthOptions), { name: "TypeError", message });
  }
});

test("agents of one server share verifiers by the names of their schemes", () => {
  const agents = {
    "/one": agentOf(cardOf({ door: schemes.key }, ["door"])),
    "/two": agentOf(cardOf({ gate: schemes.bearer }, ["gate"])),
  };
  const door = apiKeys({ secret: "a" });
  const gate = bearerTokens({ token: "a" });
  void createApp(agents, { auth: { verifiers: { door, gate } } }).close(0);
  assert.throws(() => createApp(agents, { auth: { verifiers: { door } } }), CardError);
});

test("CARD-17: the operator is told when schemes are declared and nobody has to use them", () => {
  const { logger, lines } = recorder();
  const auth = { verifiers: { door: apiKeys({ secret: "a" }) } };
  start(cardOf({ door: schemes.key }), auth, { logger });
  start(cardOf({ door: schemes.key }, ["door"]), auth, { logger });
  const told = lines.filter(({ text }) => text.includes("securityRequirements"));
  assert.deepEqual(
    told.map(({ text }) => text),
    ["Agent card: securityRequirements is empty: callers without credentials are admitted"],
  );
});

test("secrets and identities that cannot be are refused, without repeating them", () => {
  for (const make of [
    () => apiKeys({ "": "a" }),
    () => apiKeys({ planted: "" }),
    () => bearerTokens({ planted: { id: "" } }),
    () => bearerTokens({ planted: null as unknown as string }),
    () => basicUsers({ "": "planted" }),
    () => basicUsers({ "a:b": "planted" }),
    () => basicUsers({ user: "" }),
    () => basicUsers({ user: { password: "" } }),
    () => basicUsers({ user: { password: "planted", scopes: "read" as never } }),
    () => clientCertificates({ agent: "" }),
    // Every trusted certificate without a common name would be this caller.
    () => clientCertificates({ "": "planted" }),
    () => oauth2({ audience, keys }),
    () => oauth2({ audience, issuer: "https://issuer.example", keys: {} as never }),
  ]) {
    assert.throws(make, (error: unknown) => {
      assert.ok(error instanceof TypeError);
      assert.ok(!error.message.includes("planted"));
      return true;
    });
  }
});
