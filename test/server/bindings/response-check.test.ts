import assert from "node:assert/strict";
import { test } from "vitest";
import {
  handlerMethod,
  type OperationName,
  operation,
  operations,
} from "../../../src/protocol/operations.js";
import { responseCheck } from "../../../src/server/interceptors/response-check.js";
import { answerHttpJson, drivers, httpRequest, type Json } from "./exchange.js";
import { type Script, scripted } from "./scripted-agent.js";

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const update = { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } };
const requests: Json = {
  id: "x",
  taskId: "t",
  url: "https://x",
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] },
};

function agentWith(script: Script) {
  return scripted(script, undefined, { interceptors: [responseCheck] });
}

function answering(name: OperationName, answer: Json): Script {
  const stream = async function* () {
    yield* answer;
  };
  return { [handlerMethod(operation(name))]: operation(name).streaming ? stream : async () => answer };
}

for (const driver of drivers) {
  for (const { name, streaming, response } of operations) {
    test(`OP-SEND-18, OBJT-01: an answer of ${name} that breaks the contract stays inside [${driver.name}]`, async () => {
      const broken = { id: "", unknown: 1, status: { state: "working" }, configs: 1 };
      const agent = agentWith(answering(name, streaming ? [broken] : broken));
      const { error } = await driver.call(agent, name, requests);
      if (response === null) {
        assert.equal(error, undefined);
        return;
      }
      assert.deepEqual(error, { code: "INVALID_AGENT_RESPONSE", message: "Invalid agent response" });
      assert.equal(agent.errors.length, 1);
    });
  }

  test(`a valid answer that is checked passes [${driver.name}]`, async () => {
    const agent = agentWith(answering("GetTask", task));
    assert.deepEqual((await driver.call(agent, "GetTask", { id: "t" })).result, task);
  });

  test(`the log tells which member of an answer was at fault [${driver.name}]`, async () => {
    const agent = agentWith(answering("GetTask", { ...task, status: { state: "working" } }));
    await driver.call(agent, "GetTask", { id: "t" });
    const { err } = agent.errors[0]!.facts as { err: Error };
    assert.match(err.message, /^status\.state must be one of TASK_STATE_UNSPECIFIED/);
    assert.match(
      agent.errors[0]!.text,
      /^Invalid agent response: status\.state must be one of TASK_STATE_UNSPECIFIED/,
    );
  });

  test(`OP-STREAM-04: a stream that is checked opens with a task or a message [${driver.name}]`, async () => {
    const { error } = await driver.call(
      agentWith(answering("SubscribeToTask", [update])),
      "SubscribeToTask",
      { id: "t" },
    );
    assert.equal(error?.code, "INVALID_AGENT_RESPONSE");
    const { events } = await driver.call(
      agentWith(answering("SubscribeToTask", [{ task }, update])),
      "SubscribeToTask",
      { id: "t" },
    );
    assert.deepEqual(events, [{ result: { task } }, { result: update }]);
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] };
    const reply = await driver.call(
      agentWith(answering("SendStreamingMessage", [{ message }])),
      "SendStreamingMessage",
      requests,
    );
    assert.deepEqual(reply.events, [{ result: { message } }]);
  });

  test(`STR-06: a later event that breaks the contract is the error that ends the stream [${driver.name}]`, async () => {
    const agent = agentWith(answering("SubscribeToTask", [{ task }, { task, ...update }, update]));
    const { events } = await driver.call(agent, "SubscribeToTask", { id: "t" });
    assert.deepEqual(events, [
      { result: { task } },
      { event: "error", error: { code: "INVALID_AGENT_RESPONSE", message: "Invalid agent response" } },
    ]);
  });
}

test("a reader of a checked stream that leaves releases the handler's stream", async () => {
  let released = false;
  const agent = agentWith({
    async *subscribeToTask() {
      try {
        yield { task } as Json;
        yield update as Json;
      } finally {
        released = true;
      }
    },
  });
  const path = "/tasks/t:subscribe";
  const reply = await answerHttpJson(httpRequest({ method: "GET", path }), agent);
  assert.ok("frames" in reply);
  for await (const _ of reply.frames) break;
  assert.equal(released, true);
});
