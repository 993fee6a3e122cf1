import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { inputRequired, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { Terminal } from "./terminal.js";

/** An agent that asks for a city, and then says what it knows of the interaction. */
async function startAgent(t: TestContext) {
  const contexts: string[] = [];
  const server = await serve({
    card: { name: "Planner", description: "Plans." },
    async *execute({ text, task, contextId }) {
      contexts.push(contextId);
      if (text === "hello") return yield reply("hello to you");
      if (!task) return yield inputRequired("Which city?");
      return undefined;
    },
  });
  t.onTestFinished(() => server.close());
  return { url: server.url, contexts };
}

test("A2ACLI_CHAT_001: chat answers the task that waits, and stays in the context", async (t) => {
  const { url, contexts } = await startAgent(t);
  const shell = new Terminal(t, url);
  shell.input = "hello\nplan\n\nLisbon\nplan again";
  const { exit, out, lines, err } = await shell.parley("chat", "-o", "json");
  assert.equal(exit, 0, err);
  assert.equal(lines.length, 4, out);
  const [first, asked, answered, next] = lines;
  assert.equal(first.message.parts[0].text, "hello to you");
  assert.equal(asked.task.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.deepEqual([answered.task.id, answered.task.status.state], [asked.task.id, "TASK_STATE_COMPLETED"]);
  assert.notEqual(next.task.id, asked.task.id);
  assert.equal(new Set(contexts).size, 1);
  assert.ok(!err.includes("> "), "no prompt but on a terminal");

  shell.input = "plan\n";
  const { json } = await shell.parley("chat", "--context-id", "mine", "-o", "json");
  assert.equal(json.task.contextId, "mine");
});

test("chat prompts a person, survives a turn that fails before one, and ends a script", async (t) => {
  const { url } = await startAgent(t);
  const shell = new Terminal(t, url);
  shell.input = "plan\nhello";
  let calls = 0;
  shell.fetch = (input, init) => {
    if (init?.method !== "POST" || calls++ > 0) return fetch(input, init);
    return Promise.reject(new TypeError("fetch failed"));
  };
  const script = await shell.parley("chat");
  assert.equal(script.exit, 3);
  calls = 0;
  shell.isTerminal = shell.isInputTerminal = true;
  const { exit, err, out } = await shell.parley("chat");
  assert.equal(exit, 0);
  assert.match(err, /A2ACLI_ERR_UNREACHABLE/);
  assert.equal(err.match(/^(.*\r\S*)?> /gm)?.length, 3);
  assert.match(out, /hello to you/);
  shell.isTerminal = false;
  assert.equal((await shell.parley("chat")).exit, 2);
});

test("chat with -o json takes the lines of a terminal when its output goes to a file", async (t) => {
  const { url } = await startAgent(t);
  const shell = new Terminal(t, url);
  shell.isInputTerminal = true;
  shell.input = "hello\n";
  const { exit, err, json } = await shell.parley("chat", "-o", "json");
  assert.equal(exit, 0, err);
  assert.equal(json.message.parts[0].text, "hello to you");
});
