import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, inputRequired, reply, working } from "../../src/index.js";
import { operations, protocolVersion } from "../../src/protocol/operations.js";
import { apiKeys, type Interceptor, type OperationCall } from "../../src/server/index.js";
import { changedCall } from "../../src/server/interceptors/interceptor.js";
import { TracedStream } from "../../src/server/interceptors/telemetry.js";
import { answerHttpJson, httpRequest } from "../server/bindings/exchange.js";
import { scripted } from "../server/bindings/scripted-agent.js";
import { gate, onBoth } from "../support/both.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";

const webhook = { taskId: "none", id: "c", url: "https://example.com/hook" };

/** A valid request for each operation; what it asks for need not exist. */
const requests: Record<string, object> = {
  SendMessage: text("hi"),
  SendStreamingMessage: text("hi"),
  CreateTaskPushNotificationConfig: webhook,
  GetTaskPushNotificationConfig: { taskId: "none", id: "c" },
  ListTaskPushNotificationConfigs: { taskId: "none" },
  DeleteTaskPushNotificationConfig: { taskId: "none", id: "c" },
};

const everything = {
  card: {
    ...plainCard,
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  },
  extendedCard: {},
  execute: async ({ text }: { text: string }) => reply(text),
};
const options = { auth: { verifiers: { key: apiKeys({ "key-of-ann": "ann" }) } }, push: {} };
const headers = { "X-Key": "key-of-ann", "X-Request-Id": "r1", traceparent: "nonsense" };

/** A span that surrounds nothing. */
const span = { run: <Result>(body: () => Result) => body() };

test("EXT-17, SVC-05, SEC-17: every operation of both bindings passes authentication, then the interceptors", async (t) => {
  const seen: OperationCall[] = [];
  const refuse: Interceptor = async (operation) => {
    seen.push(operation);
    throw new A2AError("PERMISSION_DENIED", `no ${operation.operation} today`);
  };
  const server = await serveFor(t, everything, { ...options, interceptors: [refuse] });
  for (const { name } of operations) {
    for (const peer of [server.rpc, server.rest]) {
      const request = requests[name] ?? { id: "none" };
      assert.equal((await peer.call(name, request)).error, "UNAUTHENTICATED", `${name} without a key`);
      assert.equal(seen.length, 0);
      const { error, message, response } = await peer.call(name, request, headers);
      assert.deepEqual([error, message, response.status], ["PERMISSION_DENIED", `no ${name} today`, 403]);
      const [operation] = seen.splice(0);
      assert.equal(operation?.operation, name);
      assert.equal(operation?.call.principal.id, "ann");
      assert.equal(operation?.call.headers["x-request-id"], "r1");
      assert.equal(operation?.agent, "");
    }
  }
});

test("EXT-17: there is no method beside the operations that could go around them", async (t) => {
  const seen: string[] = [];
  const note: Interceptor = ({ operation }, proceed) => {
    seen.push(operation);
    return proceed();
  };
  const server = await serveFor(t, everything, { ...options, interceptors: [note] });
  assert.equal((await server.rpc.call("example.com/Extra", {}, headers)).error, "METHOD_NOT_FOUND");
  assert.deepEqual(seen, []);
});

onBoth(
  "SEC-17: interceptors lie around each other, the first outermost, and may give another answer",
  async ({ text }) => reply(text),
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("hi"));
    assert.equal(result.message.parts[0].text, "HI inner outer");
  },
  {},
  {
    interceptors: ["outer", "inner"].map(
      (word): Interceptor =>
        async (_, proceed) => {
          const answer = await proceed();
          if (!("response" in answer) || !answer.response || !("message" in answer.response)) return answer;
          const { message } = answer.response;
          const said = message?.parts[0]?.text ?? "";
          const changed = `${word === "inner" ? said.toUpperCase() : said} ${word}`;
          return { response: { message: { ...message, parts: [{ text: changed }] } } } as typeof answer;
        },
    ),
  },
);

onBoth(
  "SVC-08: an interceptor can set headers and trace of the call that the executor sees",
  async ({ call }) =>
    reply(`${call.headers["x-added"]} ${call.trace?.traceparent} ${call.trace?.tracestate} ${call.version}`),
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("hi"));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert.equal(result.message.parts[0].text, `yes ${traceparent} a=b ${protocolVersion}`);
  },
  {},
  {
    interceptors: [
      ({ call }, proceed) =>
        proceed({
          headers: {
            ...call.headers,
            "x-added": "yes",
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            tracestate: "a=b",
          },
        }),
    ],
  },
);

onBoth(
  "SEC-17: an interceptor of a stream sees its events and its end, and may answer by itself",
  async function* () {
    yield working();
  },
  async (peer) => {
    const frames = await collect(peer.stream("SendStreamingMessage", text("hi")));
    assert.deepEqual(
      frames.map(({ data }) => data.message?.parts[0].text),
      ["instead"],
    );
  },
  {},
  {
    interceptors: [
      async () => ({
        events: (async function* () {
          yield { message: { messageId: "m", role: "ROLE_AGENT" as const, parts: [{ text: "instead" }] } };
        })(),
      }),
    ],
  },
);

test("an interceptor that answers in the wrong form is a fault of the server, and is logged", async (t) => {
  const server = await serveFor(t, everything, {
    ...options,
    interceptors: [
      async ({ operation }) => (operation === "ListTasks" ? { events: [] as never } : { response: null }),
    ],
  });
  assert.equal((await server.rpc.call("ListTasks", {}, headers)).error, "INTERNAL_ERROR");
  assert.equal((await server.rest.call("SendStreamingMessage", text("hi"), headers)).error, "INTERNAL_ERROR");
});

test("a stream that is left while it waits ends at once for those around it", async (t) => {
  const ended: string[] = [];
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute() {
        yield inputRequired("?");
      },
    },
    {
      interceptors: [
        async (_, proceed) => {
          const answer = await proceed();
          if ("response" in answer) return answer;
          return { events: new TracedStream(answer.events, span, () => ended.push("left")) };
        },
      ],
    },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  const stop = new AbortController();
  const stream = server.rpc.stream("SubscribeToTask", { id: result.task.id }, { signal: stop.signal });
  await stream.next();
  stop.abort();
  await assert.rejects(stream.next());
  while (ended.length === 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a stream that is left while an interceptor still opens it releases what it then gets", async () => {
  let returned = 0;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => assert.fail("an event was asked for"),
      return: async () => {
        returned += 1;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const opened = gate<void>();
  const released = gate<void>();
  const left: string[] = [];
  const agent = scripted({ subscribeToTask: () => source }, undefined, {
    interceptors: [
      async (_, proceed) => {
        await opened.opened;
        return proceed();
      },
    ],
    streams: {
      take: () => () => {
        left.push("left");
        released.open();
      },
    },
  });
  let due: () => void = () => assert.fail("the stream does not wait");
  const host = httpRequest({
    method: "GET",
    path: "/tasks/t:subscribe",
    whileSilent(dueNow) {
      due = dueNow;
      return () => undefined;
    },
  });
  const answering = answerHttpJson(host, agent);
  due();
  const reply = await answering;
  assert.ok("frames" in reply);
  await reply.frames[Symbol.asyncIterator]().return?.();
  opened.open();
  await released.opened;
  while (returned === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([returned, left.length], [1, 1]);
});

test("a call with changes is the call in all else, costly members included", () => {
  class Call {
    readonly #secret = "signal";
    readonly tenant = "t";
    get signal() {
      return this.#secret;
    }
  }
  const changed = changedCall(new Call() as never, { version: "x" });
  assert.deepEqual([changed.tenant, changed.signal, changed.version], ["t", "signal", "x"]);
  assert.ok("version" in changed && "tenant" in changed && !("after" in changed));
});

test("TracedStream tells of an end once, with what was thrown", async () => {
  const told: unknown[] = [];
  const failing = async function* () {
    yield {} as never;
    throw new Error("broken");
  };
  const stream = new TracedStream(failing(), span, (thrown) => told.push(thrown));
  await stream.next();
  await assert.rejects(stream.next(), /broken/);
  await stream.return();
  const atOnce = { next: () => assert.fail("broken at once"), [Symbol.asyncIterator]: () => atOnce };
  const watched = new TracedStream(atOnce, span, (thrown) => told.push(thrown));
  await assert.rejects(watched.next(), /broken at once/);
  assert.deepEqual(told.map(String), ["Error: broken", "AssertionError [ERR_ASSERTION]: broken at once"]);
});
