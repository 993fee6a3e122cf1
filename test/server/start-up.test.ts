import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "vitest";
import { defineAgent } from "../../src/agent/define-agent.js";
import type { CallContext } from "../../src/protocol/call-context.js";
import { handlerMethod, operations } from "../../src/protocol/operations.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";
import { AgentServer } from "../../src/server/agent-server.js";
import { CardError, createApp, type ServerOptions, serve } from "../../src/server/index.js";
import { appOf } from "../../src/server/koa/create-app.js";
import { supportedCapabilities } from "../../src/server/supported-capabilities.js";
import { input } from "../card/sample-card.js";
import { freePort } from "../support/free-port.js";
import { notebook, ScriptedHandler, scripted, serveFor } from "./scripted-agent.js";

const wrongOptions: [ServerOptions, RegExp][] = [
  [{ bindings: [] }, /bindings: name at least one/],
  [{ bindings: ["SOAP" as "JSONRPC"] }, /bindings: "SOAP" is not supported/],
  [{ versions: [] }, /versions: name at least one/],
  [{ versions: ["9.9" as "1.0"] }, /versions: 9\.9 is not one of/],
  [{ paths: { jsonRpc: "a2a" } }, /paths: "a2a" must look like/],
  [{ paths: { jsonRpc: ["/", "/:id"] } }, /paths: "\/:id"/],
  [{ paths: { httpJson: "/a2a/" } }, /paths: "\/a2a\/"/],
  [{ publicUrl: "a.example" }, /publicUrl: "a.example" must be/],
  [{ publicUrl: "ftp://a.example" }, /publicUrl/],
  [{ publicUrl: "https://a.example/?x" }, /publicUrl/],
  [{ limits: { body: 0 } }, /limits\.body must be a positive number/],
  [{ limits: { headers: Number.NaN } }, /limits\.headers/],
  [{ limits: { name: 35 } }, /limits\.name must be at least 36: ids that the server generates have 36 bytes/],
  [{ limits: { name: 0 } }, /limits\.name must be at least 36/],
  [{ limits: { queue: -1 } }, /limits\.queue must be 0 or a positive number/],
  [{ heartbeat: -1 }, /heartbeat/],
  [{ cardMaxAge: 0.5 }, /cardMaxAge must be a whole number of seconds/],
  [unknown({ versoins: ["1.0"] }), /^there is no option "versoins"; did you mean "versions"\?$/],
  [unknown({ Logger: undefined }), /there is no option "Logger"; did you mean "logger"\?/],
  [unknown({ constructor: 1 }), /^there is no option "constructor"$/],
  [unknown({ paths: { jsonRPC: "/" } }), /paths: there is no option "jsonRPC"; did you mean "jsonRpc"\?/],
  [unknown({ limits: { bodyy: 1 } }), /limits: there is no option "bodyy"; did you mean "body"\?/],
  [unknown({ auth: { verifier: {} } }), /auth: there is no option "verifier"; did you mean "verifiers"\?/],
];

/** Options as plain JavaScript passes them. */
function unknown(options: object): ServerOptions {
  return options;
}

test("the address is an option of serve alone, and a wrong name of it is told from it", async () => {
  assert.throws(() => createApp(scripted(), unknown({ port: 1 })), /there is no option "port"/);
  await assert.rejects(serve(scripted(), unknown({ prot: 1 })), /"prot"; did you mean "port"\?/);
});

test("members of a definition that do not exist are refused with the nearest name", () => {
  const card = { name: "A", description: "B" };
  const definition = { card, execute: async () => undefined, extensoins: [] };
  assert.throws(
    () => defineAgent(definition),
    /there is no option "extensoins"; did you mean "extensions"\?/,
  );
});

for (const [options, message] of wrongOptions) {
  test(`an option that cannot be right is refused: ${JSON.stringify(options)}`, async () => {
    assert.throws(() => createApp(scripted(), options), { name: "TypeError", message });
    await assert.rejects(serve(scripted(), options), { name: "TypeError", message });
  });
}

test("agents live at plain paths, and there is at least one", () => {
  assert.throws(() => createApp({}), /agents: name at least one/);
  assert.throws(() => createApp({ research: scripted() }), /agents: "research" must look like/);
  assert.throws(() => createApp({ "/a/*": scripted() }), TypeError);
});

test("CARD-13: a card that does not tell the truth keeps the server from starting", async () => {
  const liar = scripted(new ScriptedHandler(), { capabilities: { pushNotifications: true } });
  assert.throws(() => createApp(liar), CardError);
  await assert.rejects(serve({ "/a": scripted(), "/b": liar }), CardError);
  const lost = scripted(undefined, {
    supportedInterfaces: [{ url: "/nowhere", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });
  await assert.rejects(serve(lost), /supportedInterfaces\[0\] is not served/);
});

test("CARD-05: an interface that only the real address shows to be false is found when the server listens", async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/nowhere`;
  const liar = scripted(undefined, {
    supportedInterfaces: [{ url, protocolBinding: "GRPC", protocolVersion: "1.0" }],
  });
  await assert.rejects(serve(liar, { port }), CardError);
  // The port is free again.
  await serveFor(t, scripted(), { port });
});

test("JSON-07: what a card probably does not mean is logged once, with the agent's name", async (t) => {
  const { logger, entries } = notebook();
  await serveFor(t, scripted(undefined, { skills: [] }), { logger });
  assert.deepEqual(
    entries.filter(({ level }) => level === "warn"),
    [
      {
        level: "warn",
        facts: { agent: "Rates" },
        text: "Agent card: skills is empty: clients have nothing to choose the agent by",
      },
    ],
  );
  const second = notebook();
  createApp(scripted(undefined, { defaultInputModes: [] }), { logger: second.logger });
  assert.equal(second.texts("warn").length, 1);
});

test("CARD-05: absolute interfaces are not compared with a URL that the server does not know", () => {
  const { logger, texts } = notebook();
  const listed = { url: "https://a.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const options = { bindings: ["JSONRPC"], versions: ["1.0"], logger } satisfies ServerOptions;
  const agent = scripted(undefined, { supportedInterfaces: [listed] });
  createApp(agent, options);
  assert.deepEqual(texts("warn"), []);
  createApp(agent, { ...options, publicUrl: "https://b.example" });
  assert.match(texts("warn").join(), /does not list JSONRPC at https:\/\/b\.example, which is served/);
});

test("CARD-10, GEN-12: a server of the draft finds nothing wrong with its own card", () => {
  const { logger, texts } = notebook();
  createApp(scripted(), { logger, versions: ["1.1-draft", "1.0"], publicUrl: "https://a.example" });
  assert.deepEqual(texts("warn"), []);
});

test("CARD-09: plain http in public is worth a warning", () => {
  const { logger, texts } = notebook();
  createApp(scripted(), { logger, publicUrl: "http://a.example", bindings: ["JSONRPC"], versions: ["1.0"] });
  assert.deepEqual(texts("warn"), ["Agent card: supportedInterfaces[0].url is not encrypted: use https"]);
});

test("what comes before the codecs are loaded waits for them, and is told when they cannot be", async (t) => {
  const { logger, texts } = notebook();
  const site = new AgentServer(scripted(), { logger, versions: ["0.3"] });
  await site.loading;
  let arrived = () => {};
  site.loading = new Promise((resolve) => {
    arrived = resolve;
  });
  site.settleAt(undefined);
  const server = createServer(appOf(site).callback()).listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  let isAnswered = false;
  const early = fetch(`${url}/.well-known/agent.json`, { headers: { connection: "close" } }).then(
    (answer) => {
      isAnswered = true;
      return answer;
    },
  );
  while (site.active === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isAnswered, false);
  arrived();
  const { protocolVersion } = (await (await early).json()) as { protocolVersion?: string };
  assert.equal(protocolVersion, "0.3.0");
  const broken = Promise.reject(new Error("There is no such file"));
  broken.catch(() => {});
  site.loading = broken;
  const late = await fetch(url, { method: "POST", headers: { connection: "close" }, body: "{}" });
  const { error } = (await late.json()) as { error: { code: number } };
  assert.equal(error.code, -32603);
  assert.deepEqual(texts("error"), ["A request failed"]);
});

test("a port that is taken is the caller's to hear about", async (t) => {
  const { port } = await serveFor(t, scripted());
  await assert.rejects(serve(scripted(), { port }), { code: "EADDRINUSE" });
});

test("CARD-13: wiring of a handler is having every operation of a capability", () => {
  class Streaming extends ScriptedHandler {}
  class Cards extends UnimplementedHandler<CallContext> {
    override async getExtendedAgentCard(): Promise<never> {
      throw new Error("not called");
    }
  }
  class HalfPush extends UnimplementedHandler<CallContext> {
    override async createTaskPushNotificationConfig(): Promise<never> {
      throw new Error("not called");
    }
  }
  const gateway = Object.fromEntries(operations.map((row) => [handlerMethod(row), () => undefined]));
  const supported = (handler: object) => [
    ...supportedCapabilities({ card: input, handler: handler as ScriptedHandler }),
  ];
  assert.deepEqual(supported(new Streaming()), ["streaming"]);
  assert.deepEqual(supported(new Cards()), ["extendedAgentCard"]);
  assert.deepEqual(supported(new HalfPush()), []);
  assert.deepEqual(supported(new UnimplementedHandler()), []);
  assert.deepEqual(supported({}), []);
  assert.deepEqual(supported(gateway), ["streaming", "pushNotifications", "extendedAgentCard"]);
});

test("CARD-13: wiring of a definition is what the engine can do with it", () => {
  async function* execute() {}
  assert.deepEqual([...supportedCapabilities(defineAgent({ card: input, execute }))], ["streaming"]);
  const extended = defineAgent({ card: input, execute, extendedCard: () => undefined });
  assert.deepEqual([...supportedCapabilities(extended)], ["streaming", "extendedAgentCard"]);
});
