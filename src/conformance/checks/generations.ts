import { setTimeout as pause } from "node:timers/promises";
import { countsGenerations } from "../../versions/client-codecs.js";
import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, canceled, refused, result, same } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { kindOf, readStream } from "../streams.js";
import { Inconclusive } from "../verdict.js";

/** Milliseconds after which a read that has no answer is taken for one that is held. */
const HELD = 300;

const NUMBER = /^[1-9]\d*$/;

/** The major version with its dot. */
const majorOf = (version: string): string => version.replace(/\..*/, ".");

/** The generation of a task or an update. @throws Deviation unless it is a text of digits, from 1 on */
function generationOf(value: Unchecked, what: string): number {
  const generation = at(value, "generation");
  assert(
    typeof generation === "string" && NUMBER.test(generation),
    `the generation of ${what} is ${excerptOf(generation)}`,
  );
  return Number(generation);
}

/** A task that takes a further message, as it is read. @throws Inconclusive if no message makes the agent ask for input */
async function waiting({
  peer,
  stage,
}: Subject): Promise<{ id: string; generation: number; task: Unchecked }> {
  const id = textAt(await stage.task("input-required"), "id");
  const task = result(await peer.call("GetTask", { id }));
  return { id, generation: generationOf(task, "the task"), task };
}

/** Sends a further message to a task, for one of its generations. */
function sendFor(
  { peer, stage }: Subject,
  taskId: string,
  ifGenerationMatch: string | number,
): Promise<PeerAnswer> {
  const message = { taskId, parts: [{ text: "once more" }] };
  return peer.call("SendMessage", stage.plain({ message, configuration: { ifGenerationMatch } }));
}

/** Checks of generations, which the draft of 1.1 adds. */
export const generationChecks: readonly BindingCheck[] = [
  {
    ids: ["GEN-01", "GEN-17"],
    claim: "a task has a generation, as a text of digits, and a message to it raises it",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      await sendFor(subject, id, String(generation));
      const after = generationOf(result(await subject.peer.call("GetTask", { id })), "the task");
      assert(after > generation, `it is ${after} after ${generation}`);
    },
  },
  {
    ids: ["GEN-01", "GEN-02", "GEN-03"],
    claim: "each event of a task has the number after that of the event before it",
    async run(subject) {
      needs(subject, "streaming");
      const { peer, stage } = subject;
      const opened = await peer.open("SendStreamingMessage", await stage.params("artifact"));
      let before = 0;
      for (const { value } of await readStream(opened)) {
        const kind = kindOf(value);
        if (kind === "message") throw new Inconclusive("the answer is a message, which has no generation");
        const generation = generationOf(at(value, kind), `a ${kind}`);
        // A task that is the first event includes all events before it, and one that is the last repeats the number.
        const isNext = kind === "task" ? generation >= before : generation === before + 1;
        assert(isNext, `a ${kind} has ${generation} after ${before}`);
        before = generation;
      }
    },
  },
  {
    ids: ["GEN-04"],
    claim: "a read that names no generation, or one below that of the task, is answered at once",
    async run({ peer, stage }) {
      const id = textAt(await stage.task("working"), "id");
      const generation = generationOf(result(await peer.call("GetTask", { id })), "the task");
      const read = await peer.call("GetTask", { id, currentGeneration: String(generation - 1) });
      assert(generationOf(result(read), "the task") >= generation, "the task is an earlier one");
    },
  },
  {
    ids: ["GEN-05"],
    claim: "a read of the current generation is held until the task has changed",
    async run({ peer, stage }) {
      const id = textAt(await stage.task("working"), "id");
      const generation = generationOf(result(await peer.call("GetTask", { id })), "the task");
      const read = peer.call("GetTask", { id, currentGeneration: String(generation) });
      // A failure is reported when the read is awaited.
      read.catch(() => undefined);
      const early = await Promise.race([read, pause(HELD, undefined, { ref: false })]);
      const isChanged = early !== undefined && generationOf(result(early), "the task") > generation;
      if (isChanged) throw new Inconclusive("the task changed by itself");
      assert(early === undefined, "it was answered at once");
      canceled(await peer.call("CancelTask", { id }));
      const after = generationOf(result(await read), "the task");
      assert(after > generation, `it was answered with ${after}, which the caller had`);
    },
  },
  {
    ids: ["GEN-06"],
    claim: "a read of the current generation of a task that has ended is answered at once",
    async run({ peer, stage }) {
      const id = textAt(await stage.task("completed"), "id");
      const task = result(await peer.call("GetTask", { id }));
      const currentGeneration = String(generationOf(task, "the task"));
      same(result(await peer.call("GetTask", { id, currentGeneration })), task, "the task");
    },
  },
  {
    ids: ["GEN-07", "GEN-15"],
    claim: "a message for another generation is refused with both numbers, and changes nothing",
    async run(subject) {
      const { id, generation, task } = await waiting(subject);
      for (const wrong of ["0", String(generation + 1)]) {
        const answer = await sendFor(subject, id, wrong);
        refused(answer, "TASK_GENERATION_MISMATCH");
        const { details } = answer.error ?? {};
        const info = listAt({ details }, "details").find((detail) => at(detail, "metadata") !== undefined);
        const wanted = { taskId: id, expectedGeneration: wrong, currentGeneration: String(generation) };
        for (const [name, value] of Object.entries(wanted)) same(at(info, "metadata", name), value, name);
      }
      same(result(await subject.peer.call("GetTask", { id })), task, "the task");
    },
  },
  {
    ids: ["GEN-07"],
    claim: "a message for the generation of its task is taken",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      result(await sendFor(subject, id, String(generation)));
    },
  },
  ...(["JSONRPC", "HTTP+JSON"] as const).map(
    (over): BindingCheck => ({
      ids: ["GEN-17"],
      over,
      claim: "a generation that is written as a number is read",
      async run(subject) {
        const { id, generation } = await waiting(subject);
        result(await sendFor(subject, id, generation));
      },
    }),
  ),
  {
    ids: ["GEN-08"],
    claim: "of two messages for the same generation one is taken",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      const answers = await Promise.all([1, 2].map(() => sendFor(subject, id, String(generation))));
      const taken = answers.filter((answer) => answer.result !== undefined).length;
      assert(taken === 1, `${taken} were taken`);
    },
  },
  {
    ids: ["GEN-09"],
    claim: "a message that makes a new task is taken, whatever generation it names",
    async run({ peer, stage }) {
      const configuration = { ifGenerationMatch: "99" };
      result(await peer.call("SendMessage", await stage.acceptedParams({ configuration })));
    },
  },
  {
    ids: ["GEN-07", "OP-SEND-05"],
    claim: "a message for a generation of a task that does not exist is refused as any other",
    async run(subject) {
      refused(await sendFor(subject, crypto.randomUUID(), "1"), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["GEN-18"],
    over: "HTTP+JSON",
    claim: "currentGeneration is a parameter of the query, which must be a number",
    async run({ peer, stage }) {
      const id = textAt(await stage.task("completed"), "id");
      refused(
        await peer.call("GetTask", { id, currentGeneration: "x" }),
        "INVALID_PARAMS",
        "currentGeneration",
      );
    },
  },
  {
    ids: ["GEN-13"],
    claim: "callers of a version without generations see no generation, and the new members have no effect",
    async run(subject) {
      const { card, peer, stage } = subject;
      const { id, generation } = await waiting(subject);
      const entries = listAt(card, "supportedInterfaces").filter(
        (entry) => textAt(entry, "protocolBinding").toUpperCase() === peer.binding,
      );
      const { url } = Object(entries.find((entry) => textAt(entry, "protocolVersion") === peer.version));
      const released = entries
        .filter((entry) => textAt(entry, "url") === url)
        .map((entry) => textAt(entry, "protocolVersion"))
        .find((version) => version.startsWith(majorOf(peer.version)) && !countsGenerations(version));
      if (released === undefined)
        throw new Inconclusive("the card lists no version without generations here");
      const headers = { "a2a-version": released };
      const task = result(await peer.call("GetTask", { id }, { headers }));
      assert(at(task, "generation") === undefined, `a task has ${excerptOf(at(task, "generation"))}`);
      const message = { taskId: id, parts: [{ text: "once more" }] };
      const configuration = { ifGenerationMatch: String(generation + 1) };
      result(await peer.call("SendMessage", stage.plain({ message, configuration }), { headers }));
    },
  },
];
