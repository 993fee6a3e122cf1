import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { type TestContext, test } from "vitest";
import { type Client, connect, type TrustedKey } from "../../src/client/index.js";
import { artifact, completed, defineAgent, type Executor, inputRequired, textOf } from "../../src/index.js";
import { UrlRefused } from "../../src/push/index.js";
import { serve } from "../../src/server/index.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/client.md");
const shown = new Set<string>();

/** Runs a block of the page and shows what the page says of it. */
function page<Names>(name: string, show: (names: Names, t: TestContext) => Promise<void>): void {
  shown.add(name);
  test(`docs/client.md, ${name}: does what the page says`, async (t) => {
    const block = blocks.find((one) => one.name === name);
    assert.ok(block, `the page has no block ${name}`);
    await show((await run(block)) as Names, t);
  });
}

async function serveFor(
  t: TestContext,
  execute: Executor,
  card: object = {},
  options: object = {},
): Promise<string> {
  const agent = defineAgent({ card: { name: "Shouter", description: "Says it louder.", ...card }, execute });
  const server = await serve(agent, options);
  t.onTestFinished(() => server.close());
  return server.url;
}

const loud: Executor = async function* ({ message }) {
  const answer = artifact();
  for (const letter of textOf(message)) yield answer.text(letter.toUpperCase());
  yield completed();
};

page<{ shout: (url: string) => Promise<string> }>("first", async ({ shout }, t) => {
  assert.equal(await shout(await serveFor(t, loud)), "HELLO");
});

page<{ read: (client: Client, question: string) => Promise<string> }>("stream", async ({ read }, t) => {
  assert.equal(await read(await connect(await serveFor(t, loud)), "abc"), "ABC");
});

page<{ book: (client: Client, answers: string[]) => Promise<string> }>(
  "conversation",
  async ({ book }, t) => {
    const url = await serveFor(t, async function* ({ message }) {
      yield textOf(message) === "at eight" ? completed("Booked") : inputRequired("When?");
    });
    const client = await connect(url);
    assert.equal(await book(client, ["soon", "at eight"]), "TASK_STATE_COMPLETED");
    assert.equal(await book(client, ["soon"]), "TASK_STATE_INPUT_REQUIRED");
  },
);

page<{ later: (client: Client) => Promise<string> }>("later", async ({ later }, t) => {
  assert.equal(await later(await connect(await serveFor(t, loud))), "TASK_STATE_COMPLETED");
});

page<{ find: (client: Client, id: string) => Promise<string> }>("errors", async ({ find }, t) => {
  const client = await connect(await serveFor(t, loud));
  assert.equal(await find(client, "none"), "no such task");
  const { task } = await client.sendText("x");
  assert.equal(await find(client, task!.id), "TASK_STATE_COMPLETED");
  const gone = await connect({ ...client.card, supportedInterfaces: [nowhere] }, { retry: false });
  assert.equal(await find(gone, "x"), "agent unreachable");
});

/** A port that nobody listens on. */
const nowhere = { url: "http://127.0.0.1:9", protocolBinding: "JSONRPC", protocolVersion: "1.0" };

page<{ enter: (url: string, secret: string) => Promise<Client> }>("credentials", async ({ enter }, t) => {
  const seen: unknown[] = [];
  const url = await serveFor(t, async function* ({ call }) {
    seen.push(call.headers["x-api-key"], call.headers.authorization);
    yield completed();
  });
  const schemes = {
    apiKey: { apiKeySecurityScheme: { location: "header", name: "X-Api-Key" } },
    bearer: { httpAuthSecurityScheme: { scheme: "bearer" } },
  };
  // The card says what is needed; this agent does not insist on it.
  const { card } = await connect(url);
  const demanding = { ...card, securitySchemes: schemes, securityRequirements: [both(schemes)] };
  const original = globalThis.fetch;
  t.onTestFinished(() => {
    globalThis.fetch = original;
  });
  globalThis.fetch = async (input, init) =>
    String(input).includes(".well-known") ? Response.json(demanding) : original(input, init);
  await (await enter(url, "secret")).sendText("x");
  assert.deepEqual(seen, ["secret", "Bearer a-token"]);
});

function both(schemes: object) {
  return { schemes: Object.fromEntries(Object.keys(schemes).map((name) => [name, { list: [] }])) };
}

page<{ signIn: (url: string) => Promise<Client> }>("sign-in", async ({ signIn }, t) => {
  const client = await signIn(await serveFor(t, loud));
  // This agent needs no credentials, so that no page is shown.
  assert.equal(client.card.securityRequirements, undefined);
});

page<{ connectTo: (url: string) => Promise<Client> }>("guarded", async ({ connectTo }, t) => {
  const url = await serveFor(t, loud);
  await assert.rejects(connectTo(url), {
    code: "UNREACHABLE",
    cause: new UrlRefused("must be an absolute https URL"),
  });
});

page<{ trusted: (url: string, keys: TrustedKey[]) => Promise<Client> }>("cards", async ({ trusted }, t) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const url = await serveFor(t, loud, {}, { cardKeys: [{ key: privateKey, kid: "k", alg: "ES256" }] });
  assert.equal((await trusted(url, [{ kid: "k", key: publicKey }])).card.name, "Shouter");
  await assert.rejects(trusted(url, []), { name: "CardSignatureError" });
});

page<{ watched: (url: string) => Promise<Client>; log: string[] }>(
  "interceptors",
  async ({ watched, log }, t) => {
    let traceparent: unknown;
    const url = await serveFor(t, async function* ({ call }) {
      traceparent = call.headers.traceparent;
      yield completed();
    });
    const client = await watched(url);
    await client.sendText("x");
    await assert.rejects(client.getTask({ id: "none" }));
    assert.match(String(traceparent), /^00-1{32}-/);
    assert.deepEqual(log, ["SendMessage: done", "GetTask: failed"]);
  },
);

test("every block of docs/client.md is run", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    [...shown],
  );
});
