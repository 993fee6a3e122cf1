import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, ClientFactory, ClientFactoryOptions } from "a2a-js-sdk-0.3/client";
import { GrpcTransportFactory } from "a2a-js-sdk-0.3/client/grpc";
import { afterAll, beforeAll, test } from "vitest";
import { probeAgent } from "../../examples/probe-agent/agent.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { serve } from "../../src/server/index.js";
import { startProbe } from "../support/probe.js";

/**
 * The last client that the peer published for 0.3, used as its README says, against the probe agent: in a process of its own over the JSON bindings, and
 * in this one over gRPC.
 */

let probe: { readonly url: string };
let overGrpc: { readonly url: string };
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const env = { VERSIONS: "1.0,0.3", ALLOW_PRIVATE_WEBHOOKS: "on" };
  probe = await startProbe({ onTestFinished: (stop) => void stops.push(stop as () => Promise<void>) }, env);
  const server = await serve(probeAgent(readSettings(env)), {
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    versions: ["1.0", "0.3"],
    push: { allowHttp: true, allowPrivateNetworks: true },
  });
  stops.push(() => server.close(0));
  overGrpc = server;
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

const request = (text: string, more: object = {}, configuration?: object): any => ({
  message: {
    kind: "message",
    messageId: crypto.randomUUID(),
    role: "user",
    parts: [{ kind: "text", text }],
    ...more,
  },
  ...(configuration && { configuration }),
});

async function collect(stream: AsyncIterable<unknown>): Promise<any[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

for (const transport of ["JSONRPC", "HTTP+JSON", "GRPC"]) {
  const connect = (): Promise<Client> => {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      preferredTransports: [transport],
      transports: [new GrpcTransportFactory()],
    });
    const { url } = transport === "GRPC" ? overGrpc : probe;
    return new ClientFactory(options).createFromUrl(url);
  };

  test(`VER-07, VER-17: the client of 0.3 sends and gets a message over ${transport}`, async () => {
    const client = await connect();
    const answer: any = await client.sendMessage(request("echo hello"));
    assert.deepEqual(
      [answer.kind, answer.role, answer.parts],
      ["message", "agent", [{ kind: "text", text: "echo: hello" }]],
    );
  });

  test(`VER-08: the client of 0.3 sends, reads and cancels a task over ${transport}`, async () => {
    const client = await connect();
    const done: any = await client.sendMessage(request("task"));
    assert.deepEqual([done.kind, done.status.state], ["task", "completed"]);
    assert.deepEqual(done.artifacts[0].parts, [{ kind: "text", text: "done" }]);
    assert.deepEqual(await client.getTask({ id: done.id }), done);
    const read = await client.getTask({ id: done.id, historyLength: 0 });
    // In protocol buffers 0 cannot be told from nothing, which means all of the history.
    assert.equal(read.history?.length ?? 0, transport === "GRPC" ? 1 : 0);
    const asked: any = await client.sendMessage(request("ask"));
    assert.equal(asked.status.state, "input-required");
    assert.equal(asked.status.message.parts[0].text, "Which one?");
    assert.equal((await client.cancelTask({ id: asked.id })).status.state, "canceled");
    await assert.rejects(client.cancelTask({ id: asked.id }), { name: "TaskNotCancelableError" });
    await assert.rejects(client.getTask({ id: "none" }), { name: "TaskNotFoundError" });
  });

  test(`VER-08: the client of 0.3 that does not wait gets the task as it is at first over ${transport}`, async () => {
    const client = await connect();
    const asked: any = await client.sendMessage(request("hold 60000", {}, { blocking: false }));
    assert.ok(["submitted", "working"].includes(asked.status.state), asked.status.state);
    assert.equal((await client.cancelTask({ id: asked.id })).status.state, "canceled");
  });

  test(`VER-08: the client of 0.3 answers a question over ${transport}`, async () => {
    const client = await connect();
    const { id, contextId }: any = await client.sendMessage(request("ask"));
    const done: any = await client.sendMessage(request("answer tea", { taskId: id, contextId }));
    assert.equal(done.status.state, "completed");
    assert.equal(done.artifacts[0].parts[0].text, "You chose tea");
  });

  test(`VER-08: the client of 0.3 streams over ${transport}, sees every event and which is the last`, async () => {
    const client = await connect();
    const events = await collect(client.sendMessageStream(request("stream 5")));
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["task", ...Array.from({ length: 5 }, () => "artifact-update"), "status-update"],
    );
    assert.deepEqual([events.at(-1).status.state, events.at(-1).final], ["completed", true]);
    assert.equal(events.at(-2).lastChunk, true);
    const asked = await collect(client.sendMessageStream(request("ask")));
    assert.deepEqual([asked.at(-1).final, asked.at(-1).status.state], [true, "input-required"]);
  });

  test(`VER-08: the client of 0.3 attaches again over ${transport}, also to a task that has ended`, async () => {
    const client = await connect();
    const held: any = await client.sendMessage(request("ask"));
    const stream = client.resubscribeTask({ id: held.id });
    assert.equal(((await stream.next()).value as any).id, held.id);
    await client.cancelTask({ id: held.id });
    const last: any = (await stream.next()).value;
    assert.deepEqual([last.kind, last.status.state, last.final], ["status-update", "canceled", true]);
    assert.equal((await stream.next()).done, true);
    const ended = await collect(client.resubscribeTask({ id: held.id }));
    assert.deepEqual(
      ended.map(({ kind, status, final }) => [kind, status.state, final]),
      [
        ["task", "canceled", undefined],
        ["status-update", "canceled", true],
      ],
    );
    await assert.rejects(collect(client.resubscribeTask({ id: "none" })), (error: any) =>
      [error.name, error.cause?.name].includes("TaskNotFoundError"),
    );
  });

  test(`PUSH-19: the client of 0.3 keeps webhooks over ${transport}, which get whole tasks`, async (t) => {
    const calls: { headers: IncomingMessage["headers"]; body: any }[] = [];
    let arrived = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const hook = createServer((incoming, outgoing) => {
      let text = "";
      incoming.on("data", (chunk) => {
        text += chunk;
      });
      incoming.on("end", () => {
        outgoing.end();
        calls.push({ headers: incoming.headers, body: JSON.parse(text) });
        if (calls.at(-1)?.body.status.state === "completed") arrived();
      });
    }).listen(0, "127.0.0.1");
    t.onTestFinished(() => void hook.close());
    await once(hook, "listening");
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    const client = await connect();
    const { id, contextId }: any = await client.sendMessage(request("ask"));
    const config = { id: "first", url, token: "secret" };
    const set = { taskId: id, pushNotificationConfig: config };
    assert.deepEqual((await client.setTaskPushNotificationConfig(set)).pushNotificationConfig.id, "first");
    const get = { id, pushNotificationConfigId: "first" };
    assert.equal((await client.getTaskPushNotificationConfig(get)).pushNotificationConfig.url, url);
    assert.equal((await client.listTaskPushNotificationConfig({ id })).length, 1);
    await client.sendMessage(request("answer tea", { taskId: id, contextId }));
    await ended;
    const { headers, body } = calls.at(-1)!;
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["x-a2a-notification-token"], "secret");
    assert.deepEqual([body.kind, body.id, body.artifacts[0].parts[0].text], ["task", id, "You chose tea"]);
    await client.deleteTaskPushNotificationConfig(get);
    assert.deepEqual(await client.listTaskPushNotificationConfig({ id }), []);
    await assert.rejects(client.getTaskPushNotificationConfig(get));
  });

  test(`OP-XCARD-01: the client of 0.3 gets the extended card over ${transport}`, async () => {
    const card = await (await connect()).getAgentCard();
    assert.equal(card.protocolVersion, "0.3.0");
    assert.ok(card.skills.some(({ id }) => id === "conformance"));
  });
}
