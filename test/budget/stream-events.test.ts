import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { getEventListeners, setMaxListeners } from "node:events";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { type TestContext, test } from "vitest";
import { completed, defineAgent, working } from "../../src/index.js";
import { AgentServer } from "../../src/server/agent-server.js";
import type { StreamReply } from "../../src/server/host.js";
import type { OutgoingAnswer } from "../../src/server/outgoing/outgoing-answer.js";
import { FrameStream, type FrameStreamParts } from "../../src/server/streams/frame-stream.js";
import { OpenStreams } from "../../src/server/streams/open-streams.js";
import { answerJsonRpc, httpRequest } from "../server/bindings/exchange.js";
import { gate } from "../support/both.js";
import { plainCard, text } from "../support/peer.js";

const EVENTS = 200;

/** Takes all frames at once, as a fast connection does. */
class Sink extends FrameStream {
  readonly isStuck = false;
  readonly isFull = false;
  text = "";
  readonly #ended = gate();

  protected write(text: string): void {
    this.text += text;
  }
  protected end(text: string): void {
    this.text += text;
    this.#ended.open();
  }
  get ended(): Promise<unknown> {
    return this.#ended.opened;
  }
  get frames(): number {
    return this.text.split("\n\n").length - 1;
  }
  protected paused(): void {}
  protected comment(): void {}
  protected cut(): void {}
  stop(): void {}
}

/** What a run of readers of one task has cost. */
interface Cost {
  promises: number;
  /** Calls of `addEventListener` of signals. */
  listeners: number;
}

/** Costs of `EVENTS` events, from the first after all readers have got the task, for all of the server and its readers. */
async function costOf(
  t: TestContext,
  readers: number,
  pause: () => Promise<unknown> | undefined,
): Promise<Cost> {
  const { open, opened } = gate();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      await opened;
      for (let event = 0; event < EVENTS; event += 1) {
        await pause();
        yield working(`${event}`);
      }
      yield completed();
    },
  });
  const site = new AgentServer(agent, {});
  t.onTestFinished(() => site.close(0));
  site.settleAt("http://127.0.0.1");
  await site.loading;
  const streams = new OpenStreams(60);
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const start = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reply = (await answerJsonRpc(httpRequest({ body, signal }), site.main.served)) as StreamReply;
    const sink = new Sink({
      reply,
      streams,
      answer: { sent: () => undefined } as OutgoingAnswer,
      abort: () => undefined,
      logger: console as unknown as FrameStreamParts["logger"],
    });
    sink.resume();
    while (sink.frames === 0) await turn();
    return sink;
  };
  const first = await start("SendStreamingMessage", text("go"));
  const { id } = JSON.parse(/data: (.*)/.exec(first.text)?.[1] ?? "").result.task;
  const sinks = [first];
  for (let index = 1; index < readers; index += 1) sinks.push(await start("SubscribeToTask", { id }));
  const before = getEventListeners(signal, "abort").length;

  const cost = { promises: 0, listeners: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") cost.promises += 1;
    },
  });
  const add = signal.addEventListener;
  signal.addEventListener = (...args: Parameters<AbortSignal["addEventListener"]>) => {
    cost.listeners += 1;
    return Reflect.apply(add, signal, args);
  };
  const ended = Promise.all(sinks.map((sink) => sink.ended));
  hook.enable();
  open();
  await ended;
  hook.disable();
  for (const { frames } of sinks) assert.equal(frames, EVENTS + 2);
  assert.ok(before > 0, "the readers listen to the signal");
  assert.equal(getEventListeners(signal, "abort").length, 0);
  return cost;
}

const READERS = 10;
/** Longer than a write waits for others: each event finds readers that have got all before it. */
const alone = () => wait(3);
const atOnce = () => undefined;

/** At most so many promises for an event, for all that is done with one reader, and for each further reader. */
const budgets = [
  { when: "one by one", pause: alone, first: 9, further: 0.1 },
  { when: "in one go", pause: atOnce, first: 6.5, further: 0.2 },
] as const;

for (const { when, pause, first, further } of budgets) {
  test(`STR-10: events that come ${when} cost each reader few promises, and no listener of its signal`, async (t) => {
    const one = await costOf(t, 1, pause);
    const all = await costOf(t, 1 + READERS, pause);
    const each = (all.promises - one.promises) / EVENTS / READERS;
    assert.ok(one.promises / EVENTS <= first, `${one.promises / EVENTS} promises for an event`);
    assert.ok(each <= further, `${each} promises for an event and a further reader`);
    assert.deepEqual([one.listeners, all.listeners], [0, 0]);
  });
}
