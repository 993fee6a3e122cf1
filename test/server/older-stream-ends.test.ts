import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { connect } from "../../src/client/index.js";
import {
  authRequired,
  completed,
  type Executor,
  failed,
  inputRequired,
  rejected,
  reply,
  working,
} from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

/** A frame of a stream: its SSE id, and the event in it. */
type Frame = readonly [id: string | undefined, event: Json];

const execute: Executor = async function* ({ text }) {
  if (text === "say") yield reply("said");
  else if (text === "ask") yield inputRequired("Which?");
  else if (text === "refuse") yield rejected("No.");
  else if (text === "fail") yield failed("It broke.");
  else if (text === "log in") {
    yield working();
    yield authRequired("A token, please.");
  } else if (text === "log in at once") yield authRequired("A token, please.");
  else {
    yield working();
    yield completed();
  }
};

function served(t: TestContext) {
  return serveExecutor(t, execute, { versions: ["1.0", "0.3", "0.1-flat", "0.1"] });
}

/** Opens a stream: its first event is there when this resolves. One that does not end is a failure. */
function open(url: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
}

async function framesOf(...request: Parameters<typeof open>): Promise<Frame[]> {
  return framesIn(await open(...request));
}

async function framesIn(response: Response): Promise<Frame[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.includes("data: "));
  return frames.map((frame): Frame => {
    const { result, ...event } = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "");
    return [/^id: (.*)$/m.exec(frame)?.[1], result ?? event];
  });
}

const call = (method: string, params: object): object => ({ jsonrpc: "2.0", id: 1, method, params });
const user = (text: string) => ({ role: "user", parts: [{ kind: "text", text }] });

interface Wire {
  readonly name: string;
  readonly begin: (url: string, text: string) => Promise<Frame[]>;
  readonly follow: (url: string, id: string) => Promise<Frame[]>;
  /** Id of the task, kind of the event, state and mark of the end. */
  readonly facts: (event: Json) => readonly [id: string, kind: string, state: string, final: unknown];
}

const bare: Wire["facts"] = ({ id, taskId = id, kind, status, final }) => [taskId, kind, status.state, final];
const wrapped: Wire["facts"] = ({ task, statusUpdate }) => {
  const { id, taskId = id, status, final } = task ?? statusUpdate;
  const state = status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
  return [taskId, task ? "task" : "status-update", state, final];
};
const message = (text: string) => ({ kind: "message", messageId: crypto.randomUUID(), ...user(text) });

const wires: readonly Wire[] = [
  {
    name: "JSON-RPC",
    begin: (url, text) => framesOf(url, call("message/stream", { message: message(text) })),
    follow: (url, id) => framesOf(url, call("tasks/resubscribe", { id })),
    facts: bare,
  },
  {
    name: "HTTP+JSON in the shapes of JSON-RPC",
    begin: (url, text) => framesOf(`${url}/v1/message:stream`, { message: message(text) }),
    follow: (url, id) => framesOf(`${url}/v1/tasks/${id}:subscribe`, {}),
    facts: wrapped,
  },
  {
    name: "HTTP+JSON in the shapes of the protocol buffers",
    begin: (url, text) => {
      const said = { messageId: crypto.randomUUID(), role: "ROLE_USER", content: [{ text }] };
      return framesOf(`${url}/v1/message:stream`, { message: said });
    },
    follow: (url, id) => framesOf(`${url}/v1/tasks/${id}:subscribe`, {}),
    facts: wrapped,
  },
];

for (const { name, begin, follow, facts } of wires) {
  for (const [text, state] of [
    ["ask", "input-required"],
    ["refuse", "rejected"],
    ["fail", "failed"],
  ] as const) {
    test(`VER-08: a stream of 0.3 that holds the task alone says that it ends: ${text}, over ${name}`, async (t) => {
      const { url } = await served(t);
      const frames = await begin(url, text);
      const [[number, opening] = []] = frames;
      const [id] = facts(opening);
      assert.match(String(number), /^\d+$/);
      assert.deepEqual(
        frames.map(([, event]) => facts(event)),
        [
          [id, "task", state, undefined],
          [id, "status-update", state, true],
        ],
      );
      // The event that was added is in no log: a client that comes back continues after the task.
      assert.equal(frames.at(-1)?.[0], undefined);
      if (state === "input-required") return;
      assert.deepEqual(
        (await follow(url, id)).map(([, event]) => facts(event).slice(1)),
        [
          ["task", state, undefined],
          ["status-update", state, true],
        ],
      );
    });
  }

  test(`VER-08: a stream of 0.3 with updates has one end, with its number: over ${name}`, async (t) => {
    const { url } = await served(t);
    const frames = await begin(url, "go");
    const finals = frames.filter(([, event]) => facts(event)[3] === true);
    assert.deepEqual(finals, frames.slice(-1));
    assert.ok(frames.every(([number]) => number !== undefined));
    assert.deepEqual((await begin(url, "say")).length, 1);
  });
}

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  test(`VER-08: a client of 0.3 sees the task alone where that is all there was, over ${binding}`, async (t) => {
    const { url } = await served(t);
    const client = await connect(url, { bindings: [binding], versions: ["0.3"] });
    for (const text of ["ask", "refuse"]) {
      const stream = client.stream(text);
      const events = [];
      for await (const event of stream) events.push(Object.keys(event).join());
      assert.deepEqual(events, ["task"], text);
      assert.deepEqual(stream.task, await client.getTask({ id: stream.task?.id ?? "" }), text);
    }
  });
}

for (const [version, part, headers] of [
  ["0.1", { type: "text" }, {}],
  ["the flat dialect", {}, { "A2A-Version": "1.0" }],
] as const) {
  const said = (text: string) => ({ role: "user", parts: [{ ...part, text }] });
  const states = (frames: Frame[]) => frames.map(([, { status, final }]) => [status.state, final]);

  test(`VER-08: a stream of ${version} ends when a login is needed, and the next message continues the task`, async (t) => {
    const { url } = await served(t);
    const waiting = version === "0.1" ? "input-required" : "auth_required";
    const begin = (params: object) => framesOf(url, call("tasks/sendSubscribe", params), headers);
    const begun = await begin({ id: "mine", message: said("log in") });
    assert.deepEqual(states(begun).at(-1), [waiting, true]);
    assert.equal(states(begun).filter(([, final]) => final).length, 1);
    const atOnce = await begin({ id: "other", message: said("log in at once") });
    assert.deepEqual(states(atOnce), [[waiting, true]]);
    const id = begun[0]?.[1].id ?? begun[0]?.[1].taskId;
    const more = await begin({ id, message: said("the token") });
    assert.deepEqual(states(more).at(-1), ["completed", true]);
  });

  test(`VER-08: a stream that follows a waiting task of ${version} brings what comes, until the task waits again`, async (t) => {
    const { url } = await served(t);
    const send = async (params: object): Promise<Json> =>
      ((await (await open(url, call("tasks/send", params), headers)).json()) as Json).result;
    const { id } = await send({ id: "mine", message: said("log in") });
    const following = await open(url, call("tasks/resubscribe", { id }), headers);
    await send({ id, message: said("log in") });
    const events = states(await framesIn(following));
    assert.equal(events.filter(([, final]) => final === true).length, 1);
    assert.equal(events.at(-1)?.[1], true);
    assert.ok(events.length >= 2);
  });
}
