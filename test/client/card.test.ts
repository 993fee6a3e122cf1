import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { exportJWK } from "jose";
import { test } from "vitest";
import { signCard } from "../../src/card/sign-card.js";
import { CardCache, ClientError } from "../../src/client/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { cardOf, connect, json, origin, type Scripted, type Seen, scripted } from "./scripted.js";

const here = `${origin}/.well-known/agent-card.json`;

/** An agent whose card is at one place and nowhere else. */
function cardAt(place: string, value: unknown = cardOf(), init: ResponseInit = {}): Scripted {
  return scripted(({ url }) => (url.href === place ? json(value, init) : new Response("", { status: 404 })));
}

function paths({ seen }: Scripted): string[] {
  return seen.map(({ url }) => url.pathname);
}

function coded(code: string, text?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof ClientError, String(error));
    assert.equal(error.code, code, error.message);
    if (text !== undefined) assert.match(error.message, text);
    return true;
  };
}

test("DISC-06, CARD-08: the card is at the well-known path, else at the older one", async () => {
  const current = cardAt(here);
  assert.equal((await connect(origin, current)).card.name, "Scripted");
  assert.deepEqual(paths(current), ["/.well-known/agent-card.json"]);
  const older = cardAt(`${origin}/.well-known/agent.json`);
  await connect(new URL(origin), older);
  assert.deepEqual(paths(older), ["/.well-known/agent-card.json", "/.well-known/agent.json"]);
});

test("DISC-04: an agent below a path has its card below that path, or the URL is the card's own", async () => {
  const below = cardAt(`${origin}/agents/one/.well-known/agent-card.json`);
  await connect(`${origin}/agents/one/`, below);
  assert.equal(below.seen.length, 1);
  const itself = cardAt(`${origin}/cards/7`);
  await connect(`${origin}/cards/7`, itself);
  assert.deepEqual(paths(itself), [
    "/cards/7/.well-known/agent-card.json",
    "/cards/7/.well-known/agent.json",
    "/cards/7/agentCard",
    "/cards/7",
  ]);
  const direct = cardAt(`${origin}/cards/one.json`);
  await connect(`${origin}/cards/one.json`, direct);
  assert.equal(direct.seen.length, 1);
});

test("VER-03, DISC-15: the card is asked for in the newest version", async () => {
  const agent = cardAt(here);
  await connect(origin, agent);
  assert.equal(agent.seen[0]?.headers.get("A2A-Version"), protocolVersion);
});

test("the caller's headers do not replace the protocol's own in the request for the card", async () => {
  const agent = cardAt(here);
  await connect(origin, { ...agent, headers: { "a2a-version": "0.3", Accept: "text/html", "X-Key": "k" } });
  const { headers } = agent.seen[0]!;
  assert.equal(headers.get("A2A-Version"), protocolVersion);
  assert.equal(headers.get("Accept"), "application/json, application/a2a+json");
  assert.equal(headers.get("X-Key"), "k");
});

test("DISC-06: a card can be given as an object", async () => {
  const client = await connect(cardOf());
  assert.equal(client.agentInterface.url, `${origin}/a2a`);
  assert.equal(await client.refreshCard(), client.card);
});

test("a place without a card is named with what came", async () => {
  const nothing = scripted(() => new Response("", { status: 404 }));
  await assert.rejects(
    connect(origin, nothing),
    coded("CARD_UNAVAILABLE", /agent-card\.json, .*agent\.json/),
  );
  const broken = scripted(
    () => new Response("<html>", { status: 500, headers: { "Content-Type": "text/html" } }),
  );
  await assert.rejects(
    connect(origin, broken),
    coded("CARD_UNAVAILABLE", /HTTP 500 with text\/html \(6 characters\)/),
  );
  const secret = scripted(() => new Response("", { status: 401 }));
  await assert.rejects(connect(origin, secret), coded("CARD_UNAVAILABLE", /HTTP 401 with an empty body/));
  assert.equal(secret.seen.length, 1);
});

test("a site that answers every path with a page has no card", async () => {
  const site = scripted(() => new Response("<html>", { headers: { "Content-Type": "text/html" } }));
  await assert.rejects(connect(origin, site), (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.code, "INVALID_RESPONSE");
    assert.equal(error.expected, "an agent card");
    assert.equal(error.received, "HTTP 200 with text/html (6 characters)");
    return true;
  });
});

test("a card that is not valid is refused by path, and taken leniently", async () => {
  const agent = cardAt(here, { ...cardOf(), name: 7 });
  await assert.rejects(connect(origin, agent), coded("CARD_INVALID", /name must be a string/));
  await assert.rejects(connect({} as never), coded("CARD_INVALID", /supportedInterfaces/));
  const warnings: string[] = [];
  const warn = (_: object, text: string) => warnings.push(text);
  const logger = { debug() {}, info() {}, error() {}, warn };
  const client = await connect(origin, { ...agent, lenient: true, logger });
  assert.equal(client.agentInterface.protocolBinding, "JSONRPC");
  assert.match(warnings.join(), /is not valid/);
});

test("a lenient client leaves out an interface whose version is not a string", async () => {
  const [first, second] = cardOf().supportedInterfaces;
  const listing = (...supportedInterfaces: unknown[]) =>
    connect(origin, { ...cardAt(here, { ...cardOf(), supportedInterfaces }), lenient: true });
  const odd = { ...first, protocolVersion: 0.3 };
  assert.deepEqual((await listing(odd, second)).agentInterface, second);
  await assert.rejects(listing(odd), coded("CARD_INVALID", /\[0\]\.protocolVersion must be a string/));
});

test("SEC-16: a card beyond its size limit is not read", async () => {
  const agent = cardAt(here, { ...cardOf(), description: "x".repeat(2000) });
  await assert.rejects(connect(origin, { ...agent, limits: { card: 1000 } }), coded("RESPONSE_TOO_LARGE"));
});

test("an agent that is not there, or never answers, is a typed error", async () => {
  const refusal = Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
  const gone = scripted(() => Promise.reject(refusal));
  await assert.rejects(connect(origin, gone), coded("UNREACHABLE", /ECONNREFUSED/));
  const silent = scripted(() => new Promise(() => {}));
  await assert.rejects(
    connect(origin, { ...silent, timeouts: { connect: 0.01 } }),
    coded("TIMEOUT", /0\.01 seconds/),
  );
  const signal = AbortSignal.abort(new Error("changed my mind"));
  await assert.rejects(connect(origin, { ...silent, signal }), /changed my mind/);
});

test("only http and https URLs lead to an agent", async () => {
  for (const target of ["agent.example", "ftp://agent.example", new URL("ftp://agent.example")]) {
    await assert.rejects(connect(target), coded("INVALID_OPTION"));
  }
});

test("AUTHN-09: redirects of the card are followed, the caller's headers only on the origin", async () => {
  const agent = scripted(({ url }) => {
    if (url.pathname === "/.well-known/agent-card.json") return redirect("/card");
    if (url.pathname === "/card") return redirect("https://cdn.example/card.json");
    return json(cardOf({ supportedInterfaces: [{ ...cardOf().supportedInterfaces[0]!, url: "/rpc" }] }));
  });
  const options = { ...agent, headers: { Authorization: "Bearer x" }, origins: ["https://cdn.example"] };
  const client = await connect(origin, options);
  assert.deepEqual(
    agent.seen.map(({ headers }) => headers.get("Authorization")),
    ["Bearer x", "Bearer x", null],
  );
  assert.equal(agent.seen[2]?.headers.get("A2A-Version"), protocolVersion);
  assert.equal(client.agentInterface.url, "/rpc");
});

test("redirects that never end, or lead to another protocol, are refused", async () => {
  const loop = scripted(() => redirect("/again"));
  await assert.rejects(connect(origin, loop), coded("REDIRECTED"));
  const file = scripted(() => redirect("file:///etc/passwd"));
  await assert.rejects(connect(origin, file), coded("REDIRECTED"));
});

test("a redirect that the platform hides is followed by the platform, without the caller's headers", async () => {
  const agent = scripted((_, index) => {
    if (index > 0) return Object.defineProperty(json(cardOf()), "url", { value: `${origin}/moved` });
    return Object.defineProperty(new Response(""), "type", { value: "opaqueredirect" });
  });
  const modes: unknown[] = [];
  const recording: typeof fetch = (input, init) => {
    modes.push(init?.redirect);
    return agent.fetch(input, init);
  };
  await connect(origin, { fetch: recording, headers: { "X-Key": "k" } });
  assert.deepEqual(modes, ["manual", "follow"]);
  assert.equal(agent.seen[1]?.headers.get("X-Key"), null);
});

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location } });
}

test("SIGN-16, SIGN-18, SIGN-22: cards are verified with the caller's keys when it asks for that", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signed = await signCard(cardOf(), [{ key: privateKey, kid: "k", alg: "ES256" }]);
  const signatures = { keys: [{ kid: "k", key: await exportJWK(publicKey) }] };
  const honest = cardAt(here, signed);
  assert.equal((await connect(origin, { ...honest, signatures })).card.name, "Scripted");
  const forged = cardAt(here, { ...signed, name: "Forged" });
  await assert.rejects(connect(origin, { ...forged, signatures }), {
    name: "CardSignatureError",
    code: "UNVERIFIED",
  });
  const allowUnsigned = { ...signatures, allowUnsigned: true };
  await assert.rejects(connect(origin, { ...forged, signatures: allowUnsigned }), { code: "UNVERIFIED" });
  const unsigned = cardAt(here);
  await assert.rejects(connect(origin, { ...unsigned, signatures }), {
    name: "CardSignatureError",
    code: "UNSIGNED",
  });
  assert.equal((await connect(origin, { ...unsigned, signatures: allowUnsigned })).card.name, "Scripted");
});

test("SIGN-16, SIGN-20: the key may come from the key set that the signature names, on an allowed host", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jku = "https://keys.example/jwks.json";
  const signed = await signCard(cardOf(), [{ key: privateKey, kid: "k", alg: "ES256", jku }]);
  const jwk = { ...(await exportJWK(publicKey)), kid: "k" };
  const agent = scripted(({ url }) => json(url.host === "keys.example" ? { keys: [jwk] } : signed));
  const policy = (host: string) => ({
    ...agent,
    signatures: { keySets: { hosts: [host], fetch: agent.fetch } },
  });
  assert.equal((await connect(origin, policy("keys.example"))).card.name, "Scripted");
  await assert.rejects(connect(origin, policy("other.example")), { code: "UNVERIFIED" });
});

test("SIGN-09: members that a signature does not cover do not reach the caller", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signed = await signCard(cardOf(), [{ key: privateKey, kid: "k", alg: "ES256" }]);
  const signatures = { keys: [{ kid: "k", key: await exportJWK(publicKey) }] };
  const padded = cardAt(here, { ...signed, provider: null, iconUrl: undefined, smuggled: "x" });
  const { card } = await connect(origin, { ...padded, signatures });
  assert.equal(card.signatures, undefined);
  assert.equal("smuggled" in card, false);
});

const day = {
  headers: { "Content-Type": "application/json", "Cache-Control": "max-age=86400", ETag: '"1"' },
};

test("DISC-12: a fresh card comes from the cache, other callers' headers get their own", async () => {
  const cache = new CardCache();
  const agent = cardAt(here, cardOf(), day);
  await connect(origin, { ...agent, cache });
  await connect(origin, { ...agent, cache });
  assert.equal(agent.seen.length, 1);
  await connect(origin, { ...agent, cache, headers: { "X-User": "2" } });
  assert.equal(agent.seen.length, 2);
});

test("DISC-13: an expired card is revalidated, and renewed by 304", async () => {
  const cache = new CardCache();
  const condition = ({ headers }: Seen) => [headers.get("If-None-Match"), headers.get("If-Modified-Since")];
  const modified = "Wed, 01 Jan 2025 00:00:00 GMT";
  const stale = {
    "Content-Type": "application/json",
    "Cache-Control": "no-cache",
    ETag: '"1"',
    "Last-Modified": modified,
  };
  const agent = scripted((request, index) =>
    index === 0 || condition(request)[0] !== '"1"'
      ? json(cardOf(), { headers: stale })
      : new Response(null, { status: 304, headers: { "Cache-Control": "max-age=60", ETag: '"1"' } }),
  );
  for (let times = 0; times < 3; times++) await connect(origin, { ...agent, cache });
  assert.deepEqual(agent.seen.map(condition), [
    [null, null],
    ['"1"', modified],
  ]);
});

test("a client looks at its card again by the same rules", async () => {
  const versions = ["1", "2"];
  const agent = scripted(() =>
    json(cardOf({ version: versions.shift() ?? "3" }), { headers: { "Cache-Control": "max-age=60" } }),
  );
  const client = await connect(origin, { ...agent, cache: new CardCache() });
  assert.equal((await client.refreshCard()).version, "1");
  const uncached = await connect(origin, agent);
  assert.equal((await uncached.refreshCard()).version, "3");
});

test("a client looks at its card again after the signal of connect has aborted", async () => {
  const versions = ["1", "2"];
  const agent = scripted(() => json(cardOf({ version: versions.shift() ?? "3" })));
  const controller = new AbortController();
  const client = await connect(origin, { ...agent, signal: controller.signal });
  controller.abort();
  assert.equal((await client.refreshCard()).version, "2");
});

test("the cache keeps no more cards than it may", async () => {
  const cache = new CardCache({ entries: 1 });
  const agent = scripted(() => json(cardOf(), day));
  for (const host of ["one", "two", "one"]) await connect(`https://${host}.example`, { ...agent, cache });
  assert.equal(agent.seen.length, 3);
});
