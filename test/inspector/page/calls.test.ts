import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { AgentCard, AgentInterface } from "../../../src/index.js";
import type { CallPlan } from "../../../src/inspector/page/screens/operations/call-run.js";
import { parleyOf } from "../../../src/inspector/page/screens/operations/parley-command.js";
import {
  curlOf,
  shellWord,
  typeScriptOf,
  writtenRequest,
} from "../../../src/inspector/page/screens/operations/written-request.js";
import type { OperationName } from "../../../src/protocol/operations.js";

const agent = "https://agents.example/writer";
const card: AgentCard = {
  ...{ name: "Writer", description: "Writes.", version: "1.0.0", capabilities: { streaming: true } },
  ...{
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    supportedInterfaces: [],
  },
};

function plan(operation: OperationName, request: object, binding = "JSONRPC", version = "1.0"): CallPlan {
  const entry: AgentInterface = { url: agent, protocolBinding: binding, protocolVersion: version };
  return { operation, request, card, entry };
}

const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "It's me" }] };

describe("a call as curl", () => {
  test("is the request that the client would send, in each binding and version", async () => {
    const rpc = await writtenRequest(plan("SendMessage", { message }));
    assert.deepEqual([rpc.method, rpc.url], ["POST", agent]);
    assert.equal(JSON.parse(rpc.body ?? "").method, "SendMessage");
    const older = await writtenRequest(plan("SendMessage", { message }, "JSONRPC", "0.3"));
    assert.equal(JSON.parse(older.body ?? "").method, "message/send");
    const rest = await writtenRequest(plan("GetTask", { id: "a b", historyLength: 2 }, "HTTP+JSON"));
    assert.deepEqual([rest.method, rest.url], ["GET", `${agent}/tasks/a%20b?historyLength=2`]);
    const stream = await writtenRequest(plan("SendStreamingMessage", { message }, "HTTP+JSON"));
    assert.equal(stream.url, `${agent}/message:stream`);
  });

  test("has words that a shell does not read in its own way", async () => {
    const written = await writtenRequest(plan("SendMessage", { message }, "HTTP+JSON"));
    const command = curlOf(written, false);
    assert.match(command, /^curl -X POST https:\/\/agents\.example\/writer\/message:send \\\n {2}-H /);
    assert.ok(command.includes(`It'\\''s me`));
    assert.match(curlOf(written, true), /^curl --no-buffer /);
    assert.equal(shellWord("$(rm -rf ~)"), "'$(rm -rf ~)'");
    assert.equal(shellWord(""), "''");
    assert.equal(shellWord("a\nb"), "'a\nb'");
  });
});

test("a call as a program names the interface and awaits or iterates", () => {
  const text = typeScriptOf(plan("GetTask", { id: "t1" }, "HTTP+JSON"), agent);
  assert.match(
    text,
    /connect\("https:\/\/agents\.example\/writer", \{ bindings: \["HTTP\+JSON"\], versions: \["1\.0"\] \}\)/,
  );
  assert.match(text, /console\.log\(await client\.getTask\(\{\n {2}"id": "t1"\n\}\)\)/);
  assert.match(
    typeScriptOf(plan("SubscribeToTask", { id: "t1" }), agent),
    /for await \(const event of client\.subscribeToTask/,
  );
});

test("a call as a command line has its flags, and says nothing where there are none", () => {
  const of = (name: OperationName, request: object) => {
    const words = parleyOf(plan(name, request), agent);
    return words?.replace(` --agent-card ${agent} --transport JSONRPC --a2a-version 1.0`, "");
  };
  assert.equal(of("SendMessage", { message }), "parley send 'It'\\''s me'");
  assert.equal(
    of("SendStreamingMessage", { message: { ...message, taskId: "t1" } }),
    "parley send 'It'\\''s me' --task-id t1 --stream",
  );
  assert.equal(of("GetTask", { id: "t1", historyLength: 0 }), "parley task get t1 --history 0");
  assert.equal(
    of("ListTasks", { status: "TASK_STATE_INPUT_REQUIRED", includeArtifacts: true }),
    "parley task list --artifacts --status input-required",
  );
  assert.equal(
    of("CancelTask", { id: "t1", metadata: { a: 1 } }),
    "parley task cancel t1 --metadata '{\"a\":1}'",
  );
  assert.equal(of("GetExtendedAgentCard", {}), `parley card get --extended ${agent}`);
  assert.equal(
    of("CreateTaskPushNotificationConfig", {
      taskId: "t1",
      url: "https://a.example/h",
      authentication: { scheme: "Bearer", credentials: "x y" },
    }),
    "parley task push-config create t1 https://a.example/h --scheme Bearer --credentials 'x y'",
  );
  assert.equal(of("SendMessage", { message: { ...message, parts: [{ data: {} }] } }), undefined);
  assert.equal(of("GetTask", { id: "t1", tenant: "x" }), undefined);
});
