import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { apiKeys, bearerTokens } from "../../src/server/index.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

/** A card in a file of the terminal's folder. */
async function cardFile(t: TestContext, change: object = {}): Promise<{ shell: Terminal; card: any }> {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t);
  const { json } = await shell.parley("card", "get", url, "-o", "json");
  const card = { ...json, ...change };
  writeFileSync(join(shell.folder, "card.json"), JSON.stringify(card));
  return { shell, card };
}

test("A2ACLI_CARD_GET_001: a card comes from a host, a URL or a file, and leads to the agent", async (t) => {
  const { url } = await serveFor(t, agent());
  const { shell } = await cardFile(t);
  const places = [
    url.slice("http://".length),
    `${url}/.well-known/agent-card.json`,
    "card.json",
    "./card.json",
  ];
  for (const place of [...places, `file://${shell.folder}/card.json`]) {
    const { out, exit } = await shell.parley("card", "get", "-a", place);
    assert.equal(exit, 0, place);
    assert.match(
      out,
      /^Name: Test agent\n[\s\S]*^Interface: JSONRPC 1\.0 http:.*\n[\s\S]*^Signature: absent\n$/m,
    );
    const sent = await shell.parley("send", "-a", place, "say hello");
    assert.match(sent.out, /^Text:\nhello\n\n$/m, place);
  }
});

test("A2ACLI_CARD_GET_002: a valid card is told from an invalid one, and what is unknown is only odd", async (t) => {
  const { shell, card } = await cardFile(t, { colour: "red" });
  const odd = await shell.parley("card", "validate", "card.json");
  assert.deepEqual([odd.exit, odd.out], [0, "Card: valid\n"]);
  assert.match(odd.err, /^warning: colour is not defined by the schema/m);
  const { version: _, ...incomplete } = card;
  const skill = { id: "one", name: "One", description: "One.", tags: ["x"] };
  const faults = [
    [incomplete, "version is required"],
    [{ ...card, capabilities: { streaming: "yes" } }, "capabilities.streaming must be true or false"],
    [{ ...card, skills: [skill, skill] }, 'skills[1].id "one" belongs to an earlier skill'],
  ] as const;
  for (const [value, fault] of faults) {
    writeFileSync(join(shell.folder, "card.json"), JSON.stringify(value));
    for (const line of [
      ["card", "validate"],
      ["card", "get", "--validate"],
    ]) {
      const { exit, json } = await shell.parley(...line, "card.json", "-o", "json");
      assert.deepEqual([exit, json.error.code], [1, "A2ACLI_ERR_CARD_INVALID"]);
      assert.ok(json.error.message.includes(fault), json.error.message);
    }
  }
});

test("A2ACLI_CARD_GET_003: the card for those who have logged in is fetched with their credentials", async (t) => {
  const securitySchemes = { token: { httpAuthSecurityScheme: { scheme: "bearer" } } };
  const securityRequirements = [{ schemes: { token: { list: [] } } }];
  const own = { name: "Test agent", description: "Knows callers.", securitySchemes, securityRequirements };
  const auth = { verifiers: { token: bearerTokens({ s3cret: "me" }) } };
  const rest = { version: "2", capabilities: {}, skills: [] };
  const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
  const supportedInterfaces = () => [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  const inner = { ...own, ...rest, ...modes, name: "Inner agent" };
  const extendedCard = () => ({ ...inner, supportedInterfaces: supportedInterfaces() });
  const { url }: { url: string } = await serveFor(t, agent({ card: own, extendedCard }), { auth });
  const shell = new Terminal(t, url);
  shell.env.A2ACLI_BEARER = "s3cret";
  const { json, err } = await shell.parley("card", "get", "--extended", "-o", "json");
  assert.equal(json.name, "Inner agent", err);
});

test("A2ACLI_CARD_GET_004: a card is signed, verified with the key, and refused when it was changed", async (t) => {
  const { shell } = await cardFile(t);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(join(shell.folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one" };
  writeFileSync(join(shell.folder, "keys.json"), JSON.stringify({ keys: [jwk] }));
  const signed = await shell.parley("card", "sign", "card.json", "--key", "key.pem", "--kid", "one");
  assert.equal(signed.exit, 0, signed.err);
  writeFileSync(join(shell.folder, "signed.json"), signed.out);
  const verified = await shell.parley("card", "verify", "signed.json", "--key", "keys.json");
  assert.equal(verified.out, "Signature: verified\nKey: one\n");
  assert.match((await shell.parley("card", "get", "signed.json")).out, /^Signature: unverifiable/m);
  writeFileSync(join(shell.folder, "signed.json"), JSON.stringify({ ...signed.json, name: "Mallory" }));
  for (const file of ["signed.json", "card.json"]) {
    const { exit, json } = await shell.parley("card", "verify", file, "--key", "keys.json", "-o", "json");
    assert.deepEqual([exit, json.error.code], [1, "PARLEY_ERR_SIGNATURE"]);
  }
  assert.equal((await shell.parley("card", "verify", "card.json")).exit, 2);
});

test("A2ACLI_AUTH_001, A2ACLI_AUTH_002, A2ACLI_AUTH_004: credentials fit the card's schemes, come from the environment too, and are never shown", async (t) => {
  const securitySchemes = {
    token: { httpAuthSecurityScheme: { scheme: "bearer" } },
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  };
  const securityRequirements = [{ schemes: { token: { list: [] } } }, { schemes: { key: { list: [] } } }];
  const card = {
    name: "Test agent",
    description: "Knows its callers.",
    securitySchemes,
    securityRequirements,
  };
  const known = { "s3cret-value": "me" };
  const auth = { verifiers: { token: bearerTokens(known), key: apiKeys(known) } };
  const { url } = await serveFor(t, agent({ card }), { auth });
  const shell = new Terminal(t, url);
  const missing = await shell.parley("send", "say hi", "-o", "json");
  assert.deepEqual([missing.exit, missing.json.error.code], [4, "A2ACLI_ERR_CREDENTIALS_MISSING"]);
  const wrong = await shell.parley("send", "say hi", "--bearer", "wrong-value", "-o", "json");
  assert.deepEqual([wrong.exit, wrong.json.error.code], [4, "A2ACLI_ERR_AUTH_FAILED"]);
  assert.equal((await shell.parley("send", "say hi", "--api-key", "s3cret-value")).exit, 0);
  shell.env.A2ACLI_BEARER = "s3cret-value";
  const { exit, err } = await shell.parley(
    "send",
    "say s3cret-value/abc-def",
    "--svc-param",
    "X-Trace: abc-def",
    "--debug",
  );
  assert.equal(exit, 0);
  assert.match(err, /^debug: > POST .*authorization: \[redacted\]/m);
  assert.match(err, /^debug: < 200 after/m);
  assert.doesNotMatch(err, /s3cret-value|abc-def/);
  assert.doesNotMatch((await shell.parley("config", "show")).out, /s3cret-value/);
});

test("A2ACLI_AUTH_003, A2ACLI_AUTH_008: --insecure warns, more so with credentials; a card without schemes gets none", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { err } = await shell.parley("send", "say hi", "--insecure", "--bearer", "s3cret");
  assert.equal(shell.trusted, 1);
  assert.match(err, /^warning: --insecure/m);
  assert.match(err, /^warning: SECURITY: your credentials/m);
  assert.match(err, /declares no security scheme: your credentials are not sent/);
});

test("A2ACLI_CARD_GET_001: the agents of a host are listed by its catalog, and called by their names there", async (t) => {
  const named = (name: string) => agent({ card: { ...agent().card, name } });
  const { url } = await serveFor(
    t,
    { "/one": named("First agent"), "/two": named("Second") },
    { catalog: true },
  );
  const shell = new Terminal(t);
  const listed = await shell.parley("card", "list", url);
  assert.equal(listed.exit, 0);
  assert.match(listed.out, /^Agent: First agent\nIdentifier: http.*\/one$/m);
  const { json } = await shell.parley("card", "list", url, "-o", "json");
  assert.deepEqual(json.agents[1].card, `${url}/two/.well-known/agent-card.json`);
  const place = `${url.slice("http://".length)}#First%20agent`;
  assert.match((await shell.parley("card", "get", place)).out, /^Name: First agent$/m);
  assert.match((await shell.parley("send", "-a", place, "say hello")).out, /^Text:\nhello\n\n$/m);
  const { exit, err } = await shell.parley("send", "-a", `${url}#Third`, "say hello");
  assert.notEqual(exit, 0);
  assert.match(err, /no agent named "Third"; it has First agent, Second/);
});
