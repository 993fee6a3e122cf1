import { setTimeout as pause } from "node:timers/promises";
import { isStreamResponse } from "../../protocol/model.js";
import { lacks, needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, plain, refused, same, streaming, valid } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import type { StreamedEvent } from "../peer.js";
import type { Scenario } from "../scenarios.js";
import { firstOf, hasEnded, kindOf, readStream, stateOf } from "../streams.js";
import { Inconclusive } from "../verdict.js";

async function streamOf(subject: Subject, scenario: Scenario): Promise<StreamedEvent[]> {
  needs(subject, "streaming");
  const params = await subject.scenarios.params(scenario, { configuration: {} });
  return readStream(await subject.peer.open("SendStreamingMessage", params));
}

/** Milliseconds between two reads of a task. */
const POLL_MS = 20;

const values = (events: readonly StreamedEvent[]): Unchecked[] => events.map(({ value }) => value);

/** Checks of SendStreamingMessage and the format of streams (§3.1.2, §3.5.2, §9.4.2, §11.7). */
export const streamingChecks: readonly BindingCheck[] = [
  {
    ids: ["OP-STREAM-01", "RPC-03"],
    claim: "a streaming send opens an event stream with HTTP 200",
    async run(subject) {
      needs(subject, "streaming");
      const params = await subject.scenarios.params("chunks");
      const opened = await subject.peer.open("SendStreamingMessage", params);
      const { status } = streaming(opened);
      await readStream(opened);
      same(status, 200, "the status");
    },
  },
  {
    ids: ["OP-STREAM-02"],
    claim: "without the capability a streaming send is refused without opening a stream",
    async run(subject) {
      lacks(subject, "streaming");
      const opened = await subject.peer.open("SendStreamingMessage", subject.scenarios.plain());
      refused(plain(opened), "UNSUPPORTED_OPERATION");
    },
  },
  {
    ids: ["STR-06"],
    claim: "every event is valid and of exactly one kind",
    async run(subject) {
      for (const event of values(await streamOf(subject, "chunks"))) {
        assert(!kindOf(event).includes(",") && kindOf(event) !== "", `kinds: ${kindOf(event) || "none"}`);
        valid("StreamResponse", isStreamResponse, event);
      }
    },
  },
  {
    ids: ["OP-STREAM-04"],
    claim: "the first event is the task",
    async run(subject) {
      const [first] = values(await streamOf(subject, "chunks"));
      same(kindOf(first), "task", "the first event");
    },
  },
  {
    ids: ["OP-STREAM-06"],
    claim: "the task is followed by updates, and at most by a task at the end",
    async run(subject) {
      const kinds = values(await streamOf(subject, "chunks")).map(kindOf);
      const inner = kinds.slice(1, -1).filter((kind) => kind !== "statusUpdate" && kind !== "artifactUpdate");
      assert(inner.length === 0 && kinds.at(-1) !== "message", `the kinds are ${kinds.join(", ")}`);
    },
  },
  {
    ids: ["OP-STREAM-07", "STR-07"],
    claim: "the stream closes after the event that ends the task",
    async run(subject) {
      const events = values(await streamOf(subject, "chunks"));
      const end = events.findIndex((event) => hasEnded(stateOf(event)));
      assert(end >= 0, "no event ended the task");
      const rest = events.slice(end + 1).map(kindOf);
      assert(
        rest.every((kind) => kind === "task") && rest.length < 2,
        `it is followed by ${rest.join(", ")}`,
      );
    },
  },
  {
    ids: ["OP-STREAM-05"],
    claim: "a stream that begins with a message has no other event",
    async run(subject) {
      same(values(await streamOf(subject, "message")).map(kindOf), ["message"], "the kinds");
    },
  },
  {
    ids: ["OP-STREAM-08"],
    claim: "the stream of a send closes when the agent asks for input",
    async run(subject) {
      const events = values(await streamOf(subject, "input-required"));
      same(stateOf(events.at(-1)), "TASK_STATE_INPUT_REQUIRED", "the last state");
    },
  },
  {
    ids: ["OP-STREAM-03"],
    claim: "a streaming send to a task that has ended is refused",
    async run(subject) {
      needs(subject, "streaming");
      const message = { taskId: textAt(await subject.scenarios.task("completed"), "id") };
      const opened = await subject.peer.open("SendStreamingMessage", subject.scenarios.plain({ message }));
      refused(plain(opened), "UNSUPPORTED_OPERATION");
    },
  },
  {
    ids: ["OP-STREAM-10", "RPCS-03", "RESTS-02"],
    claim: "a streaming send to a task that does not exist is refused without opening a stream",
    async run(subject) {
      needs(subject, "streaming");
      const message = { taskId: crypto.randomUUID() };
      const opened = await subject.peer.open("SendStreamingMessage", subject.scenarios.plain({ message }));
      refused(plain(opened), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-STREAM-10", "OBJ-04"],
    claim: "an invalid streaming send is refused without opening a stream",
    async run(subject) {
      needs(subject, "streaming");
      const message = { parts: [] };
      const opened = await subject.peer.open("SendStreamingMessage", subject.scenarios.plain({ message }));
      refused(plain(opened), "INVALID_PARAMS", "message.parts");
    },
  },
  {
    ids: ["OP-STREAM-09"],
    claim: "a stream that continues a task opens with that task",
    async run(subject) {
      needs(subject, "streaming");
      const taskId = textAt(await subject.scenarios.task("input-required"), "id");
      const params = subject.scenarios.plain({ message: { taskId } });
      const { value } = await firstOf(await subject.peer.open("SendStreamingMessage", params));
      same(at(value, "task", "id"), taskId, "the first task");
    },
  },
  {
    ids: ["OP-STREAM-12"],
    claim: "historyLength limits the history of the task in a stream",
    async run(subject) {
      needs(subject, "streaming");
      const params = await subject.scenarios.params("chunks", { configuration: { historyLength: 0 } });
      const [first] = await readStream(await subject.peer.open("SendStreamingMessage", params));
      same(listAt(first?.value, "task", "history"), [], "the history");
    },
  },
  {
    ids: ["OBJT-03"],
    claim: "updates name their task and context",
    async run(subject) {
      const events = values(await streamOf(subject, "chunks"));
      const { id, contextId } = Object(at(events[0], "task"));
      for (const event of events.slice(1)) {
        const update = at(event, "statusUpdate") ?? at(event, "artifactUpdate");
        if (update === undefined) continue;
        same([at(update, "taskId"), at(update, "contextId")], [id, contextId], "task and context");
      }
    },
  },
  {
    ids: ["OBJT-04", "LEG-03"],
    claim: "events have no kind and no final, members of earlier versions",
    async run(subject) {
      for (const event of values(await streamOf(subject, "chunks"))) {
        const inner = at(event, kindOf(event));
        for (const name of ["kind", "final"])
          assert(
            at(inner, name) === undefined,
            `${kindOf(event)} has ${name}: ${excerptOf(at(inner, name))}`,
          );
      }
    },
  },
  {
    ids: ["ART-02", "ART-08", "STR-01"],
    claim: "the stored task has every part that was streamed, in order",
    async run(subject) {
      const events = values(await streamOf(subject, "chunks"));
      const streamed = events.flatMap((event) => [
        ...listAt(event, "task", "artifacts").flatMap((one) => listAt(one, "parts")),
        ...listAt(event, "artifactUpdate", "artifact", "parts"),
      ]);
      const ids = new Set(events.map((event) => at(event, "artifactUpdate", "artifact", "artifactId")));
      ids.delete(undefined);
      if (ids.size !== 1)
        throw new Inconclusive("the stream did not have the chunks of exactly one artifact");
      const id = textAt(events[0], "task", "id");
      const { result: task } = await subject.peer.call("GetTask", { id });
      same(listAt(task, "artifacts", 0, "parts"), streamed, "the parts of the artifact");
    },
  },
  {
    ids: ["OP-STREAM-13", "STR-04"],
    claim: "a task continues when its caller disconnects",
    async run(subject) {
      needs(subject, "streaming");
      const params = await subject.scenarios.params("chunks");
      const { value } = await firstOf(await subject.peer.open("SendStreamingMessage", params));
      const id = textAt(value, "task", "id");
      const until = performance.now() + subject.wire.responseTimeout * 1000;
      for (;;) {
        const { result: task } = await subject.peer.call("GetTask", { id });
        const state = textAt(task, "status", "state");
        if (state === "TASK_STATE_COMPLETED") return;
        assert(!hasEnded(state) && performance.now() < until, `the task is ${state}`);
        await pause(POLL_MS);
      }
    },
  },
  {
    ids: ["STR-18"],
    claim: "streams forbid caching",
    async run(subject) {
      needs(subject, "streaming");
      if (subject.peer.binding === "GRPC") throw new Inconclusive("responses of gRPC are not cached");
      const params = await subject.scenarios.params("chunks");
      const opened = streaming(await subject.peer.open("SendStreamingMessage", params));
      await readStream(opened);
      const value = opened.headers.get("cache-control") ?? "absent";
      assert(/no-cache|no-store/.test(value), `Cache-Control is ${value}`);
    },
  },
  {
    ids: ["RPCS-01"],
    claim: "each event is a complete JSON-RPC response with the id of the request",
    over: "JSONRPC",
    async run(subject) {
      needs(subject, "streaming");
      const params = await subject.scenarios.params("chunks");
      const opened = streaming(await subject.peer.open("SendStreamingMessage", params));
      for (const { envelope } of await readStream(opened)) {
        same([at(envelope, "jsonrpc"), at(envelope, "id")], ["2.0", opened.id], "jsonrpc and id");
        assert(at(envelope, "result") !== undefined, `an event has no result: ${excerptOf(envelope)}`);
      }
    },
  },
  {
    ids: ["RESTS-01"],
    claim: "each event is a StreamResponse without an envelope",
    over: "HTTP+JSON",
    async run(subject) {
      for (const { envelope } of await streamOf(subject, "chunks"))
        assert(at(envelope, "jsonrpc") === undefined, "there is a JSON-RPC envelope");
    },
  },
];
