import assert from "node:assert/strict";
import { AgentCard, type Message, Role, type StreamResponse, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { test } from "vitest";

function message(text: string, more: Partial<Message> = {}): { message: Message } & object {
  return {
    message: {
      messageId: crypto.randomUUID(),
      role: Role.ROLE_USER,
      parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
      contextId: "",
      taskId: "",
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  };
}

const request = (text: string, more: Partial<Message> = {}, configuration?: object): any => ({
  ...message(text, more),
  tenant: "",
  metadata: undefined,
  configuration,
});

async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const kinds = (events: StreamResponse[]) => events.map((event) => event.payload?.$case);
const taskOf = (event: StreamResponse | undefined) => {
  assert.equal(event?.payload?.$case, "task");
  return event.payload.value;
};

/** What is checked: the end of the test's name, and the check. */
const checks: Readonly<Record<string, (client: Client, transport: string) => Promise<void>>> = {
  async "the peer's client discovers, sends and gets a message"(client) {
    assert.equal((await client.getAgentCard()).name, "Probe agent");
    const answer: any = await client.sendMessage(request("echo hello"));
    assert.equal(answer.parts[0].content.value, "echo: hello");
  },

  async "the peer's client sends, reads and lists a task"(client, transport) {
    const task: any = await client.sendMessage(request("task", { contextId: `listed ${transport}` }));
    assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(task.artifacts[0].parts[0].content.value, "done");
    const read = await client.getTask({ id: task.id, tenant: "", historyLength: undefined });
    assert.deepEqual(read, task);
    const listed = await client.listTasks({
      tenant: "",
      contextId: `listed ${transport}`,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: undefined,
      pageToken: "",
      historyLength: undefined,
      statusTimestampAfter: undefined,
      includeArtifacts: true,
    });
    assert.equal(listed.totalSize, 1);
    assert.deepEqual(listed.tasks, [task]);
  },

  async "the peer's client streams and sees every event"(client) {
    const events = await collect(client.sendMessageStream(request("stream 20 32")));
    assert.deepEqual(kinds(events), [
      "task",
      ...Array.from({ length: 20 }, () => "artifactUpdate"),
      "statusUpdate",
    ]);
  },

  async "the peer's client answers a question"(client) {
    const asked: any = await client.sendMessage(request("ask"));
    assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const done: any = await client.sendMessage(
      request("answer tea", { taskId: asked.id, contextId: asked.contextId }),
    );
    assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(done.artifacts[0].parts[0].content.value, "You chose tea");
  },

  async "the peer's client cancels"(client) {
    const held: any = await client.sendMessage(
      request("hold 60000", {}, { returnImmediately: true, acceptedOutputModes: [] }),
    );
    assert.equal(held.status.state, TaskState.TASK_STATE_WORKING);
    const canceled = await client.cancelTask({ id: held.id, tenant: "", metadata: undefined } as any);
    assert.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED);
    await assert.rejects(
      client.cancelTask({ id: held.id, tenant: "", metadata: undefined } as any),
      /cancel/i,
    );
  },

  async "the peer's client resubscribes"(client) {
    const stream = client.sendMessageStream(request("drip 5 every 100"));
    const { id } = taskOf((await stream.next()).value as StreamResponse);
    const again = await collect(client.resubscribeTask({ id, tenant: "" }));
    assert.equal(taskOf(again[0]).id, id);
    const last = again.at(-1)?.payload;
    assert.ok(last?.$case === "statusUpdate");
    assert.equal(last.value.status?.state, TaskState.TASK_STATE_COMPLETED);
    await collect(stream);
    await assert.rejects(collect(client.resubscribeTask({ id, tenant: "" })));
  },

  async "errors reach the peer's client as its own typed errors"(client) {
    await assert.rejects(client.getTask({ id: "nobody", tenant: "", historyLength: undefined }), {
      name: /TaskNotFound/,
    });
  },
};

/** Tests with the published peer's client over gRPC, against the probe agent where it is served so. */
export function sdkGrpcTests(url: () => string): void {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory()],
    preferredTransports: ["GRPC"],
  });
  for (const [does, check] of Object.entries(checks)) {
    test(`BIND-01, G-14: ${does} over GRPC`, async () => {
      await check(await new ClientFactory(options).createFromUrl(url()), "GRPC");
    });
  }
}

/**
 * Tests with the published peer's compatibility with 0.3 over gRPC: its client chooses its transport for 0.3, because the card that it is
 * given lists nothing else.
 */
export function sdkCompatTests(url: () => string): void {
  const legacyCompat = { enabled: true };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory({ legacyCompat })],
    preferredTransports: ["GRPC"],
  });
  const open = async () => {
    const response = await fetch(`${url()}/.well-known/agent-card.json`, {
      headers: { "A2A-Version": "1.0" },
    });
    const card = AgentCard.fromJSON(await response.json());
    const supportedInterfaces = card.supportedInterfaces.filter(
      ({ protocolBinding, protocolVersion }) => protocolBinding === "GRPC" && protocolVersion === "0.3",
    );
    assert.equal(supportedInterfaces.length, 1);
    return new ClientFactory(options).createFromAgentCard({ ...card, supportedInterfaces });
  };
  test("VER-07, G-15: the peer's client sends and streams in 0.3 over GRPC", async () => {
    const client = await open();
    const answer: any = await client.sendMessage(request("echo hello"));
    assert.equal(answer.parts[0].content.value, "echo: hello");
    const events = await collect(client.sendMessageStream(request("task")));
    assert.equal(events[0]?.payload?.$case, "task");
    const last = events.at(-1)?.payload;
    assert.equal(last?.$case === "statusUpdate" && last.value.status?.state, TaskState.TASK_STATE_COMPLETED);
  });
  test("VER-08, G-15: the peer's client reads and cancels tasks in 0.3 over GRPC, and knows its errors", async () => {
    const client = await open();
    const configuration = { returnImmediately: true, acceptedOutputModes: [] };
    const task: any = await client.sendMessage(request("hold 60000", {}, configuration));
    const read = await client.getTask({ id: task.id, tenant: "", historyLength: undefined });
    assert.equal(read.id, task.id);
    const canceled = await client.cancelTask({ id: task.id, tenant: "", metadata: undefined });
    assert.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED);
    await assert.rejects(client.getTask({ id: "nobody", tenant: "", historyLength: undefined }), {
      name: /TaskNotFound/,
    });
  });
}

/** Where the probe agent is, and how the tests are told from those of another place. */
export interface Place {
  readonly url: () => string;
  readonly name: string;
}

/** Tests with the published peer's client, used as its README says, against a probe agent, over both bindings. */
export function sdkClientTests({ url, name }: Place): void {
  for (const transport of ["JSONRPC", "HTTP+JSON"]) {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      preferredTransports: [transport],
    });
    for (const [does, check] of Object.entries(checks)) {
      test(`BIND-01: ${does} over ${transport}${name}`, async () => {
        await check(await new ClientFactory(options).createFromUrl(...cardAt(url())), transport);
      });
    }
  }
}

/** The peer looks for the card at the root of a host unless it is told a path. */
function cardAt(url: string): [base: string, path: string] {
  const { origin, pathname } = new URL(url);
  return [origin, `${pathname.replace(/\/$/, "")}/.well-known/agent-card.json`];
}
