import assert from "node:assert/strict";
import { test } from "vitest";
import { agentMessage, dataPart, textOf, userMessage } from "../../src/index.js";
import { isMessage } from "../../src/protocol/model.js";

test("OBJ-02: text becomes a message with one part, a role and a fresh id", () => {
  const one = userMessage("hello");
  const other = userMessage("hello");
  assert.ok(isMessage(one));
  assert.notEqual(one.messageId, other.messageId);
  assert.deepEqual(one, { messageId: one.messageId, role: "ROLE_USER", parts: [{ text: "hello" }] });
  assert.equal(agentMessage("hello").role, "ROLE_AGENT");
});

test("a message names its task, its context and the tasks that it refers to", () => {
  const options = {
    messageId: "m",
    taskId: "t",
    contextId: "c",
    metadata: { mood: "good" },
    extensions: ["https://example.com/mood/v1"],
    referenceTaskIds: ["earlier"],
  };
  const message = userMessage([{ text: "a" }, dataPart({ b: 1 })], options);
  assert.ok(isMessage(message));
  assert.deepEqual(message, { role: "ROLE_USER", parts: [{ text: "a" }, { data: { b: 1 } }], ...options });
  assert.equal(textOf(message), "a");
});

test("a message shares no list with what it was made of", () => {
  const parts = [{ text: "a" }];
  const extensions = ["https://example.com/mood/v1"];
  const message = userMessage(parts, { extensions });
  parts.push({ text: "b" });
  extensions.push("https://example.com/other/v1");
  assert.equal(message.parts.length, 1);
  assert.equal(message.extensions?.length, 1);
});
