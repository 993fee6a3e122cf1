import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import {
  artifact,
  completed,
  defineAgent,
  type ExecutionContext,
  type Executor,
  inputRequired,
  textOf,
  working,
} from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate, onBoth } from "../support/both.js";
import { collect, plainCard, serveExecutor, serveFor, text } from "../support/peer.js";

/** Asks twice and hands over what it was told. */
const curious: Executor = async function* ({ text, ask }) {
  yield working();
  const size = yield* ask("Which size?");
  const colour = yield* ask([{ text: "Which colour?" }, { data: ["red", "blue"] }]);
  yield artifact({ name: "order" }).text([text, textOf(size), textOf(colour)].join(", "));
};

onBoth("a question waits for its answer within one run", curious, async (peer) => {
  const { task } = (await peer.call("SendMessage", text("shirt"))).result;
  assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(task.status.message.parts[0].text, "Which size?");
  const answer = (words: string) => text(words, { message: { taskId: task.id } });
  const second = (await peer.call("SendMessage", answer("large"))).result.task;
  assert.equal(second.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.deepEqual(second.status.message.parts[1], { data: ["red", "blue"] });
  const last = (await peer.call("SendMessage", answer("red"))).result.task;
  assert.equal(last.status.state, "TASK_STATE_COMPLETED");
  assert.equal(last.artifacts[0].parts[0].text, "shirt, large, red");
  const said = last.history.map(({ parts }: any) => parts[0].text);
  assert.deepEqual(said, ["shirt", "Which size?", "large", "Which colour?", "red"]);
});

onBoth(
  "the answer makes the task WORKING again, and a stream of it shows the rest",
  curious,
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("shirt"))).result;
    const answer = (words: string) => text(words, { message: { taskId: task.id } });
    await peer.call("SendMessage", answer("large"));
    const frames = await collect(peer.stream("SendStreamingMessage", answer("red")));
    const [opening, ...rest] = frames.map(({ data }) => data);
    assert.equal(opening.task.status.state, "TASK_STATE_WORKING");
    assert.deepEqual(
      rest.map((event) => Object.keys(event).join()),
      ["artifactUpdate", "statusUpdate"],
    );
  },
);

test("a question may be the first thing that happens", async (t) => {
  const { rpc } = await serveExecutor(t, async function* ({ ask }) {
    yield completed(textOf(yield* ask("Who is there?")));
  });
  const { task } = (await rpc.call("SendMessage", text("knock"))).result;
  assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
  const answer = text("me", { message: { taskId: task.id } });
  const { result } = await rpc.call("SendMessage", answer);
  assert.equal(result.task.status.message.parts[0].text, "me");
});

test("a message that came during the work is the answer to the next question, and the task does not stop", async (t) => {
  const { open, opened } = gate();
  const { rpc } = await serveExecutor(t, async function* ({ ask }) {
    yield working();
    await opened;
    const answer = yield* ask("Where to?");
    yield artifact().text(textOf(answer));
  });
  const first = await rpc.call(
    "SendMessage",
    text("a flight", { configuration: { returnImmediately: true } }),
  );
  const { id } = first.result.task;
  const frames = rpc.stream("SubscribeToTask", { id });
  await frames.next();
  const early = text("to Lisbon", { message: { taskId: id }, configuration: { returnImmediately: true } });
  await rpc.call("SendMessage", early);
  open();
  const states = (await collect(frames)).flatMap(({ data }) => data.statusUpdate?.status.state ?? []);
  assert.deepEqual(states, ["TASK_STATE_WORKING", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  const { result } = await rpc.call("GetTask", { id });
  assert.equal(result.artifacts[0].parts[0].text, "to Lisbon");
});

test("a cancel ends the wait: the executor sees its signal's reason, and its cleanup runs", async (t) => {
  const { open, opened } = gate<unknown>();
  const { rpc } = await serveExecutor(t, async function* ({ ask, signal }) {
    try {
      yield* ask("Sure?");
    } catch (error) {
      open(error === signal.reason);
      throw error;
    }
  });
  const { task } = (await rpc.call("SendMessage", text("go"))).result;
  const { result } = await rpc.call("CancelTask", { id: task.id });
  assert.equal(result.status.state, "TASK_STATE_CANCELED");
  assert.equal(await opened, true);
});

test("an agent that refuses follow-ups while it works takes the answers to its questions", async (t) => {
  const { open, opened } = gate();
  const execute: Executor = async function* ({ text, ask }) {
    if (text === "ask") yield completed(textOf(yield* ask("?")));
    yield inputRequired("?");
    // Still at work, but the caller was asked.
    await opened;
  };
  const { rpc } = await serveExecutor(t, execute, {}, { followUps: "refuse" });
  const answerTo = async (words: string) => {
    const { task } = (await rpc.call("SendMessage", text(words))).result;
    const configuration = { returnImmediately: words === "stop" };
    return rpc.call("SendMessage", text("yes", { message: { taskId: task.id }, configuration }));
  };
  assert.equal((await answerTo("ask")).result.task.status.message.parts[0].text, "yes");
  assert.equal((await answerTo("stop")).error, undefined);
  open();
});

test("a served agent that was restarted runs the executor anew with the task", async (t) => {
  const store = new MemoryStore();
  const execute: Executor = async function* ({ text, task, ask }) {
    const question = task?.status.message ?? task?.history?.findLast(({ role }) => role === "ROLE_AGENT");
    if (task) yield completed(`${question && textOf(question)} ${text}`);
    else yield* ask("Which city?");
  };
  const before = await serveExecutor(t, execute, { store });
  const { task } = (await before.rpc.call("SendMessage", text("plan"))).result;
  await before.close();
  const after = await serveExecutor(t, execute, { store });
  const { result } = await after.rpc.call("SendMessage", text("Lisbon", { message: { taskId: task.id } }));
  assert.equal(result.task.status.message.parts[0].text, "Which city? Lisbon");
});

for (const kind of ["plain", "skills"] as const)
  test(`a message that arrives after a call for it was withdrawn gets a run of its own [${kind}]`, async (t) => {
    const { open, opened } = gate();
    const withdrawn = gate<unknown>();
    async function* execute(context: ExecutionContext) {
      if (context.task !== undefined) {
        yield completed(context.text);
        return;
      }
      yield working();
      const reason = new Error("enough");
      const stop = new AbortController();
      const next = context.nextMessage({ signal: stop.signal });
      stop.abort(reason);
      withdrawn.open(await next.catch((error) => error === reason));
      await opened;
    }
    const skills = [{ id: "wait", name: "Wait", description: "Waits.", tags: ["a"] }];
    const agent =
      kind === "plain"
        ? { card: plainCard, execute }
        : defineAgent({ card: { ...plainCard, skills }, skills: { wait: {} }, execute: { wait: execute } });
    const { rpc } = await serveFor(t, agent);
    const configuration = { returnImmediately: true };
    const { task } = (await rpc.call("SendMessage", text("go", { configuration }))).result;
    assert.equal(await withdrawn.opened, true);
    await rpc.call("SendMessage", text("more", { message: { taskId: task.id }, configuration }));
    const frames = rpc.stream("SubscribeToTask", { id: task.id });
    await frames.next();
    open();
    const { data } = (await collect(frames)).at(-1) ?? {};
    assert.equal(data.statusUpdate.status.message.parts[0].text, "more");
  });

test("a skill that ignores the promise of the next message does not end the process when its task is canceled", async (t) => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on("unhandledRejection", note);
  t.onTestFinished(() => void process.off("unhandledRejection", note));
  const agent = defineAgent({
    card: { ...plainCard, skills: [{ id: "wait", name: "Wait", description: "Waits.", tags: ["a"] }] },
    skills: { wait: {} },
    execute: {
      async *wait({ nextMessage, signal }) {
        void nextMessage();
        yield working();
        await once(signal, "abort");
      },
    },
  });
  const { rpc } = await serveFor(t, agent);
  const { result } = await rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  await rpc.call("CancelTask", { id: result.task.id });
  await new Promise(setImmediate);
  assert.deepEqual(rejections, []);
});
