import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import type { AgentDefinition, AgentInterface } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { serveFor, serveGrpc } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

/** A request that a command sent to an agent. */
interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: any;
}

/** A terminal that calls an agent by a card in a file, with the interfaces of the test, and keeps what it sends. */
async function calling(
  t: TestContext,
  more: { agent?: Partial<AgentDefinition>; options?: ServeOptions; card?: (url: string) => object } = {},
) {
  const { url } = await serveFor(t, agent(more.agent), more.options);
  const shell = new Terminal(t, url);
  if (more.card) {
    const { json } = await shell.parley("card", "get", "-o", "json");
    writeFileSync(join(shell.folder, "card.json"), JSON.stringify({ ...json, ...more.card(url) }));
    shell.env.A2ACLI_AGENT_CARD = "card.json";
  }
  const sent: Sent[] = [];
  shell.fetch = (input, init) => {
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
    const request = { url: new URL(String(input)), method: init?.method ?? "GET", body };
    if (!request.url.pathname.startsWith("/.well-known"))
      sent.push({ ...request, headers: new Headers(init?.headers) });
    return fetch(input, init);
  };
  return { url, shell, sent };
}

/** An interface of protocol 1.0 at a URL. */
const over = (protocolBinding: string, url: string, more: Partial<AgentInterface> = {}) => ({
  ...{ url, protocolBinding, protocolVersion: "1.0", ...more },
});

/** Bindings of the requests that were sent: JSON-RPC has one path for all. */
const bindings = (sent: readonly Sent[]) =>
  sent.map(({ body }) => (body?.jsonrpc === "2.0" ? "JSONRPC" : "HTTP+JSON"));

test("A2ACLI_TX_001, A2ACLI_TX_002: the first interface of the card that is supported is used, unless --transport orders them", async (t) => {
  const card = (url: string) => ({
    supportedInterfaces: [
      over("https://bindings.example/soap", url),
      over("HTTP+JSON", url),
      over("JSONRPC", url),
    ],
  });
  const { shell, sent } = await calling(t, { card });
  const cases: [flags: string[], binding: string][] = [
    [[], "HTTP+JSON"],
    [["--transport", "JSONRPC"], "JSONRPC"],
    [["--transport", "GRPC", "--transport", "JSONRPC", "--transport", "HTTP+JSON"], "JSONRPC"],
    [["--transport", "HTTP+JSON", "--transport", "JSONRPC"], "HTTP+JSON"],
  ];
  for (const [flags, binding] of cases) {
    sent.length = 0;
    const { exit, err } = await shell.parley("send", "say hi", ...flags);
    assert.equal(exit, 0, err);
    assert.deepEqual(bindings(sent), [binding], flags.join(" "));
  }
});

test("A2ACLI_TX_002: an interface that the preference names is used only if the card has it", async (t) => {
  const card = (url: string) => ({ supportedInterfaces: [over("JSONRPC", url)] });
  const { shell, sent } = await calling(t, { card });
  assert.equal((await shell.parley("send", "say hi", "--transport", "HTTP+JSON")).exit, 0);
  assert.deepEqual(bindings(sent), ["JSONRPC"]);
});

test("A2ACLI_TX_003: the tenant of the chosen interface is in every request as declared, and in none without one", async (t) => {
  const auth = { tenants: ["acme/Eu 1"] };
  for (const tenant of ["acme/Eu 1", undefined]) {
    for (const binding of ["JSONRPC", "HTTP+JSON"]) {
      const named = tenant === undefined ? {} : { tenant };
      const card = (url: string) => ({ supportedInterfaces: [over(binding, url, named)] });
      const { shell, sent } = await calling(t, { card, options: tenant === undefined ? {} : { auth } });
      const { json } = await shell.parley("send", "ask", "-o", "json");
      const id = json.task.id;
      for (const line of [
        ["task", "get", id],
        ["task", "list"],
        ["send", "--task-id", id, "make it"],
      ])
        assert.equal((await shell.parley(...line)).exit, 0, line.join(" "));
      assert.ok(sent.length >= 4);
      for (const { url, body } of sent) {
        if (binding === "JSONRPC") assert.equal(body.params.tenant, tenant);
        else if (tenant === undefined) assert.doesNotMatch(url.pathname, /acme/);
        else assert.ok(url.pathname.startsWith(`/${encodeURIComponent(tenant)}/`), url.pathname);
      }
    }
  }
});

/** Runs the commands that call an agent, on a task that asks for input. Each must succeed. */
async function runEveryCommand(shell: Terminal): Promise<void> {
  const { task } = (await shell.parley("send", "ask", "-o", "json")).json;
  for (const line of [
    ["send", "say hi", "--stream"],
    ["task", "get", task.id],
    ["task", "list"],
    ["push", "create", task.id, "http://127.0.0.1:9/", "--id", "mine"],
    ["push", "get", task.id, "mine"],
    ["push", "list", task.id],
    ["push", "delete", task.id, "mine"],
    ["task", "cancel", task.id],
  ]) {
    const { exit, err } = await shell.parley(...line);
    assert.equal(exit, 0, `${line.join(" ")}: ${err}`);
  }
}

test("A2ACLI_TX_004: every command works over JSON-RPC and over HTTP+JSON", async (t) => {
  const options = { push: { allowHttp: true, allowPrivateNetworks: true } };
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    const { shell, sent } = await calling(t, { options });
    shell.env.A2ACLI_TRANSPORT = binding;
    await runEveryCommand(shell);
    assert.deepEqual([...new Set(bindings(sent.filter(({ method }) => method === "POST")))], [binding]);
  }
});

test("A2ACLI_TX_005: every command works over gRPC with an agent that has nothing else", async (t) => {
  const push = { allowHttp: true, allowPrivateNetworks: true };
  const { url } = await serveGrpc(t, agent(), { bindings: ["GRPC"], push });
  const shell = new Terminal(t, url);
  shell.env.A2ACLI_TRANSPORT = "GRPC";
  await runEveryCommand(shell);
  const { exit, json } = await shell.parley("task", "get", "none", "-o", "json");
  assert.notEqual(exit, 0);
  assert.ok(json === undefined || json.error !== undefined);
});

test("A2ACLI_VER_001: every request names its version; the highest that both sides speak is used, and no older one in silence", async (t) => {
  const { shell, sent } = await calling(t, {
    card: (url) => ({
      supportedInterfaces: [{ ...over("JSONRPC", url), protocolVersion: "0.3" }, over("JSONRPC", url)],
    }),
  });
  for (const line of [
    ["send", "ask"],
    ["send", "say hi", "--stream"],
    ["task", "list"],
  ])
    assert.equal((await shell.parley(...line)).exit, 0);
  assert.deepEqual([...new Set(sent.map(({ headers }) => headers.get("A2A-Version")))], ["1.0"]);

  const older = await calling(t, { options: { versions: ["0.3"] } });
  const called = await older.shell.parley("send", "say hi");
  assert.equal(called.exit, 0);
  assert.match(called.err, /^warning: the agent speaks A2A 0\.3\S* only, older than 1\.\d+/m);
  assert.ok(older.sent.length > 0);
  older.sent.length = 0;
  older.shell.env.A2ACLI_A2A_MIN_VERSION = "1.0";
  assert.equal((await older.shell.parley("send", "say hi")).exit, 6);
  assert.deepEqual(older.sent, [], "nothing was sent below the lowest version");
});

test("A2ACLI_VER_002: an extension that the agent requires is declared by --extension, and named where it is missing", async (t) => {
  const uri = "https://extensions.example/trace/v1";
  const card = {
    name: "Strict",
    description: "Wants it.",
    capabilities: { extensions: [{ uri, required: true }] },
  };
  const { shell, sent } = await calling(t, { agent: { card } });
  const missing = await shell.parley("send", "say hi", "-o", "json");
  assert.equal(missing.exit, 1);
  assert.ok(missing.err.includes(uri), missing.err);
  assert.equal(sent.length, 0);
  const { exit, err } = await shell.parley("send", "say hi", "--extension", uri);
  assert.equal(exit, 0, err);
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("A2A-Extensions")),
    [uri],
  );
});

test("A2ACLI_VER_003: what the card does not declare is refused before anything is sent", async (t) => {
  const capabilities = { streaming: false, pushNotifications: false, extendedAgentCard: false };
  const { shell, sent } = await calling(t, {
    agent: { card: { name: "Plain", description: "Does little.", capabilities } },
  });
  for (const [line, code] of [
    [["push", "create", "1", "https://hook.example/"], "PushNotificationNotSupportedError"],
    [["push", "list", "1"], "PushNotificationNotSupportedError"],
    [["card", "get", "--extended"], "UnsupportedOperationError"],
  ] as const) {
    const { json, exit } = await shell.parley(...line, "-o", "json");
    assert.deepEqual([exit, json.error.code], [1, code]);
  }
  assert.equal(sent.length, 0);
  assert.match(
    (await shell.parley("send", "say hi", "--stream")).err,
    /^warning: the agent does not support streaming/m,
  );
  assert.deepEqual(
    sent.map(({ body }) => body.method),
    ["SendMessage"],
  );
});
