import { setTimeout as pause } from "node:timers/promises";
import { countsGenerations } from "../../versions/client-codecs.js";
import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, canceled, refused, result, same } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { hasEnded, kindOf, readStream } from "../streams.js";
import { Inconclusive } from "../verdict.js";

/** Time in milliseconds after which an unanswered read counts as held. */
const HELD_MS = 300;

const NUMBER = /^[1-9]\d*$/;

/** The major version with its dot. */
const majorOf = (version: string): string => version.replace(/\..*/, ".");

/** The generation of a task or an update. @throws Deviation unless it is a string with a number from 1 */
function generationOf(value: Unchecked, what: string): number {
  const generation = at(value, "generation");
  assert(
    typeof generation === "string" && NUMBER.test(generation),
    `the generation of ${what} is ${excerptOf(generation)}`,
  );
  return Number(generation);
}

/** A task that waits for input, read with GetTask. @throws Inconclusive if no message makes the agent ask for input */
async function waiting({
  peer,
  scenarios,
}: Subject): Promise<{ id: string; generation: number; task: Unchecked }> {
  const id = textAt(await scenarios.task("input-required"), "id");
  const task = result(await peer.call("GetTask", { id }));
  return { id, generation: generationOf(task, "the task"), task };
}

/** Sends a further message to a task, on the condition that the task has the given generation. */
function sendFor(
  { peer, scenarios }: Subject,
  taskId: string,
  ifGenerationMatch: string | number,
): Promise<PeerAnswer> {
  const message = { taskId, parts: [{ text: "once more" }] };
  return peer.call("SendMessage", scenarios.plain({ message, configuration: { ifGenerationMatch } }));
}

/** Checks of generations, which the draft of 1.1 adds. */
export const generationChecks: readonly BindingCheck[] = [
  {
    ids: ["GEN-01", "GEN-17"],
    claim: "a task has a generation, a string of digits, which a message to the task increases",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      await sendFor(subject, id, String(generation));
      const after = generationOf(result(await subject.peer.call("GetTask", { id })), "the task");
      assert(after > generation, `the generation is ${after} after ${generation}`);
    },
  },
  {
    ids: ["GEN-01", "GEN-02", "GEN-03"],
    claim: "the generation of each event is that of the event before it plus one",
    async run(subject) {
      needs(subject, "streaming");
      const { peer, scenarios } = subject;
      const opened = await peer.open("SendStreamingMessage", await scenarios.params("artifact"));
      let before = 0;
      for (const { value } of await readStream(opened)) {
        const kind = kindOf(value);
        if (kind === "message") throw new Inconclusive("the answer is a message, which has no generation");
        const generation = generationOf(at(value, kind), `a ${kind}`);
        // The first task of a stream covers all events before it; the closing one repeats the last generation.
        const isNext = kind === "task" ? generation >= before : generation === before + 1;
        assert(isNext, `a ${kind} has generation ${generation} after ${before}`);
        before = generation;
      }
    },
  },
  {
    ids: ["GEN-04"],
    claim: "a read without a generation, or with one below that of the task, is answered at once",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("working"), "id");
      const generation = generationOf(result(await peer.call("GetTask", { id })), "the task");
      const read = await peer.call("GetTask", { id, currentGeneration: String(generation - 1) });
      assert(generationOf(result(read), "the task") >= generation, "the task is an earlier one");
    },
  },
  {
    ids: ["GEN-05"],
    claim: "a read of the current generation is held until the task has changed",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("working"), "id");
      const generation = generationOf(result(await peer.call("GetTask", { id })), "the task");
      const read = peer.call("GetTask", { id, currentGeneration: String(generation) });
      // A failure is reported when the read is awaited.
      read.catch(() => undefined);
      const early = await Promise.race([read, pause(HELD_MS, undefined, { ref: false })]);
      if (early !== undefined) {
        const task = result(early);
        const isChanged =
          generationOf(task, "the task") > generation || hasEnded(textAt(task, "status", "state"));
        if (isChanged) throw new Inconclusive("the task changed by itself");
      }
      assert(early === undefined, "the read was answered at once");
      canceled(await peer.call("CancelTask", { id }));
      const after = generationOf(result(await read), "the task");
      assert(after > generation, `the read was answered with generation ${after}, which the caller had`);
    },
  },
  {
    ids: ["GEN-06"],
    claim: "a read of the current generation of a task that has ended is answered at once",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const task = result(await peer.call("GetTask", { id }));
      const currentGeneration = String(generationOf(task, "the task"));
      same(result(await peer.call("GetTask", { id, currentGeneration })), task, "the task");
    },
  },
  {
    ids: ["GEN-07", "GEN-15"],
    claim: "a message for another generation is refused with both generations, and changes nothing",
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
    claim: "a message for the current generation of its task is accepted",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      result(await sendFor(subject, id, String(generation)));
    },
  },
  ...(["JSONRPC", "HTTP+JSON"] as const).map(
    (over): BindingCheck => ({
      ids: ["GEN-17"],
      over,
      claim: "a generation in the form of a JSON number is accepted",
      async run(subject) {
        const { id, generation } = await waiting(subject);
        result(await sendFor(subject, id, generation));
      },
    }),
  ),
  {
    ids: ["GEN-08"],
    claim: "of two messages for the same generation exactly one is accepted",
    async run(subject) {
      const { id, generation } = await waiting(subject);
      const answers = await Promise.all([1, 2].map(() => sendFor(subject, id, String(generation))));
      const accepted = answers.filter((answer) => answer.result !== undefined).length;
      assert(accepted === 1, `${accepted} were accepted`);
    },
  },
  {
    ids: ["GEN-09"],
    claim: "a message that creates a task is accepted, whatever generation it names",
    async run({ peer, scenarios }) {
      const configuration = { ifGenerationMatch: "99" };
      result(await peer.call("SendMessage", await scenarios.acceptedParams({ configuration })));
    },
  },
  {
    ids: ["GEN-07", "OP-SEND-05"],
    claim: "a message for a generation of an unknown task is refused like any message to that task",
    async run(subject) {
      refused(await sendFor(subject, crypto.randomUUID(), "1"), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["GEN-18"],
    over: "HTTP+JSON",
    claim: "currentGeneration is a query parameter, which must be a number",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
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
      const { card, peer, scenarios } = subject;
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
        throw new Inconclusive("the card lists no version without generations at this URL");
      const headers = { "a2a-version": released };
      const task = result(await peer.call("GetTask", { id }, { headers }));
      assert(at(task, "generation") === undefined, `a task has ${excerptOf(at(task, "generation"))}`);
      const message = { taskId: id, parts: [{ text: "once more" }] };
      const configuration = { ifGenerationMatch: String(generation + 1) };
      result(await peer.call("SendMessage", scenarios.plain({ message, configuration }), { headers }));
    },
  },
];
