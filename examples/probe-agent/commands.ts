import { setImmediate, setTimeout } from "node:timers/promises";
import {
  artifact,
  authRequired,
  completed,
  type ExecutionContext,
  failed,
  inputRequired,
  type Reply,
  rejected,
  reply,
  type Update,
  working,
} from "a2a-parley";
import { credentialFor } from "./credentials.js";
import { delegate } from "./delegate.js";

/** Behaviour of a command, with the words after its name. */
export type Command = (context: ExecutionContext, words: string) => AsyncGenerator<Update, Reply | void>;

/** Behaviour by the first words of the text; the longest name that fits wins. */
export const commands: Readonly<Record<string, Command>> = {
  delegate,

  async *echo(_context, words) {
    yield reply(`echo: ${words}`);
  },

  async *big({ text }) {
    yield reply(text);
  },

  async *task() {
    yield working();
    yield artifact({ name: "result" }).text("done");
    yield completed();
  },

  async *fill({ taskId }, words) {
    const [count = 0] = numbers(words);
    for (let index = 0; index < count; index += 1) {
      const mark = `${index}`.padStart(6, "0");
      // The request is the first message of the history; a status message moves there when the next status replaces it.
      if (index > 0) yield working(mark.padEnd(200, "m"));
      yield artifact({ artifactId: `${taskId}-${mark}` }).text(mark.padEnd(200, "a"));
    }
    yield completed();
  },

  async *stream(_context, words) {
    const [count = 0, size = 32] = numbers(words);
    yield working();
    for (const update of chunks(count, size)) {
      yield update;
      await setImmediate();
    }
    yield completed();
  },

  async *drip({ signal }, words) {
    const [count = 0, wait = 0] = numbers(words);
    yield working();
    for (const update of chunks(count, 32)) {
      await setTimeout(wait, undefined, { signal });
      yield update;
    }
    yield completed();
  },

  async *burst({ signal }, words) {
    const [count = 0, wait = 0] = numbers(words);
    yield working();
    await setTimeout(wait, undefined, { signal });
    yield* chunks(count, 32);
    yield completed();
  },

  async *hold({ signal }, words) {
    const [wait = 0] = numbers(words);
    yield working();
    await setTimeout(wait, undefined, { signal });
    yield completed();
  },

  async *stubborn(_context, words) {
    const [wait = 0] = numbers(words);
    yield working();
    await setTimeout(wait);
    yield completed();
  },

  async *ask() {
    yield inputRequired("Which one?");
  },

  async *login({ taskId, signal, nextMessage }) {
    yield authRequired("Log in at the probe's credential route, or send any message.");
    await Promise.race([credentialFor(taskId, signal), nextMessage()]);
    yield working();
    yield completed();
  },

  async *fail() {
    yield working();
    yield failed("This task fails on request.");
  },

  async *throw() {
    yield working();
    throw new Error("secret detail");
  },

  async *reject() {
    yield rejected("This task is declined on request.");
  },

  async *nothing() {
    // Ends without an update.
  },

  async *"invalid part"() {
    yield working();
    yield artifact().parts([JSON.parse('{"text":"one","url":"https://example.com/two"}')]);
  },

  async *"invalid state"() {
    yield working();
    yield { statusUpdate: { status: { state: "TASK_STATE_SUBMITTED" } } };
  },

  async *"late event"() {
    yield working();
    yield completed();
    yield artifact({ name: "late" }).text("too late");
  },

  async *"two artifacts"() {
    yield working();
    yield artifact({ name: "first" }).text("one", { last: true });
    yield artifact({ name: "second" }).text("two", { last: true });
    yield completed();
  },

  async *file() {
    yield working();
    yield artifact({ name: "file" }).file(new TextEncoder().encode("file content"), {
      filename: "output.txt",
      mediaType: "text/plain",
    });
    yield completed();
  },

  async *url() {
    yield working();
    yield artifact({ name: "url" }).url("https://example.com/output.txt", {
      filename: "output.txt",
      mediaType: "text/plain",
    });
    yield completed();
  },

  async *data() {
    yield working();
    yield artifact({ name: "data" }).data({ key: "value", count: 42 });
    yield completed();
  },

  async *metadata({ metadata, message, acceptedOutputModes, call }) {
    const { tenant, principal, version, extensions } = call;
    yield working();
    yield artifact({ name: "metadata" }).data({
      metadata,
      messageMetadata: message.metadata ?? {},
      tenant,
      extensions: [...extensions],
      principal: principal.id,
      acceptedOutputModes,
      protocolVersion: version,
    });
    yield completed();
  },
};

/** Updates for one artifact in `count` chunks of `size` bytes; chunk i begins with i as six digits. */
function* chunks(count: number, size: number) {
  const writer = artifact({ name: "stream" });
  for (let index = 0; index < count; index += 1) {
    const text = `${index}`.padStart(6, "0").padEnd(size, ".");
    yield writer.text(text, { last: index === count - 1 });
  }
}

/** The whole numbers in a command's words: `5`, or `5 every 20`. */
function numbers(words: string): number[] {
  return (words.match(/\d+/g) ?? []).map(Number);
}
