import assert from "node:assert/strict";
import { test } from "vitest";
import type { ClientInterceptor } from "../../src/client/index.js";
import { clientOf, completed, eventStream, failure, frames, result, statusOf, task } from "./scripted.js";

/** Notes when its hooks run. */
function noting(name: string, log: string[]): ClientInterceptor {
  return {
    before: ({ operation }) => void log.push(`${name} before ${operation}`),
    after: ({ operation }, outcome) => void log.push(`${name} after ${operation}: ${Object.keys(outcome)}`),
    around: async (_call, next) => {
      log.push(`${name} in`);
      const result = await next();
      log.push(`${name} out`);
      return result;
    },
  };
}

test("interceptors run around an operation, the first one outermost", async () => {
  const log: string[] = [];
  const { client } = await clientOf((request) => result(request, task), {
    interceptors: [noting("one", log), noting("two", log)],
  });
  await client.getTask({ id: "t" });
  assert.deepEqual(log, [
    "one before GetTask",
    "one in",
    "two before GetTask",
    "two in",
    "two out",
    "two after GetTask: result",
    "one out",
    "one after GetTask: result",
  ]);
});

test("an interceptor may be about some operations only", async () => {
  const log: string[] = [];
  const { client } = await clientOf((request) => result(request, task), {
    interceptors: [{ ...noting("one", log), operations: ["CancelTask"] }],
  });
  await client.getTask({ id: "t" });
  assert.deepEqual(log, []);
  await client.cancelTask({ id: "t" });
  assert.equal(log.length, 4);
});

test("SVC-08: an interceptor sets headers, trace context for example, and may change the request", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const { client, seen } = await clientOf((request) => result(request, { ...task, id: "other" }), {
    interceptors: [
      {
        before: (call) => {
          call.headers.traceparent = traceparent;
          call.request = { id: "other" };
        },
      },
    ],
  });
  // The answer is compared with the request that was sent.
  assert.equal((await client.getTask({ id: "t" }, { headers: { "X-Own": "1" } })).id, "other");
  assert.equal(seen[0]?.headers.get("traceparent"), traceparent);
  assert.equal(seen[0]?.headers.get("X-Own"), "1");
  assert.deepEqual(seen[0]?.json.params, { id: "other" });
});

test("an interceptor may answer itself, change the answer, or fail the call", async () => {
  const answering = await clientOf(() => assert.fail("nothing is sent"), {
    interceptors: [{ around: async () => task }],
  });
  assert.equal(await answering.client.getTask({ id: "t" }), task);
  const changing = await clientOf((request) => result(request, task), {
    interceptors: [
      { around: async (_call, next) => ({ ...((await next()) as typeof task), metadata: { seen: true } }) },
    ],
  });
  assert.deepEqual((await changing.client.getTask({ id: "t" })).metadata, { seen: true });
  const refusing = await clientOf(() => assert.fail("nothing is sent"), {
    interceptors: [
      {
        before: () => {
          throw new Error("not today");
        },
      },
    ],
  });
  await assert.rejects(refusing.client.getTask({ id: "t" }), /not today/);
});

test("a call whose `around` returns nothing is sent once", async () => {
  const forgetful = (_call: unknown, next: () => Promise<unknown>) => void next();
  const { client, seen } = await clientOf((request) => result(request, { task }), {
    interceptors: [{ around: forgetful as never }],
  });
  assert.equal(await client.sendText("x"), undefined);
  assert.equal(seen.length, 1);
});

test("after runs for failures too, and sees them", async () => {
  const outcomes: unknown[] = [];
  const { client } = await clientOf((request) => failure(request, -32001), {
    interceptors: [{ after: (_call, outcome) => void outcomes.push(outcome) }],
  });
  const error = await client.getTask({ id: "t" }).catch((thrown: unknown) => thrown);
  assert.deepEqual(outcomes, [{ error }]);
});

test("a resumed stream is a call of its own; a repetition of a call is not", async () => {
  const log: string[] = [];
  const { client } = await clientOf(
    (request, index) => {
      if (index === 0) return eventStream(frames(request, [{ task }], 1));
      if (index === 1) return new Response("", { status: 503 });
      return request.json.method === "GetTask"
        ? result(request, task)
        : eventStream(frames(request, [{ task }, statusOf(completed)], 1));
    },
    { interceptors: [{ before: ({ operation }) => void log.push(operation) }] },
  );
  await client.stream("x").result();
  assert.deepEqual(log, ["SendStreamingMessage", "SubscribeToTask", "SubscribeToTask"]);
  const repeated = await clientOf(
    (request, index) => (index < 2 ? new Response("", { status: 503 }) : result(request, task)),
    {
      interceptors: [{ before: ({ operation }) => void log.push(operation) }],
    },
  );
  await repeated.client.getTask({ id: "t" });
  assert.equal(repeated.seen.length, 3);
  assert.equal(log.length, 4);
});

test("an interceptor may stand between a stream and its reader", async () => {
  const { client } = await clientOf(
    (request) => eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
    {
      interceptors: [
        {
          operations: ["SendStreamingMessage"],
          around: async (_call, next) => {
            const events = (await next()) as AsyncIterable<object>;
            return (async function* () {
              for await (const event of events) yield { ...event } as never;
            })();
          },
        },
      ],
    },
  );
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
});
