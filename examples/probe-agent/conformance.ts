import { setTimeout } from "node:timers/promises";
import { artifact, completed, inputRequired, rejected, reply, working } from "a2a-parley";
import { type Command, commands } from "./commands.js";

const { file, url, data } = commands;

/** One artifact with a text, then the end. */
function textArtifact(text: string): Command {
  return async function* () {
    yield working();
    yield artifact({ name: "output" }).text(text);
    yield completed();
  };
}

/** Works for a moment, then asks; follow-ups get the same. */
const session: Command = async function* ({ text, signal }) {
  yield working();
  await setTimeout(300, undefined, { signal });
  yield inputRequired(`Received: ${text}. What next?`);
};

/** Behaviour by how the message id begins, for test kits that steer an agent that way; the longest prefix wins. */
export const prefixes: Readonly<Record<string, Command | undefined>> = {
  async *"tck-complete-task"() {
    yield completed("Hello from TCK");
  },
  async *"tck-input-required"() {
    yield inputRequired("More input is needed.");
  },
  "tck-artifact-text": textArtifact("Generated text content"),
  "tck-artifact-file": file,
  "tck-artifact-file-url": url,
  "tck-artifact-data": data,
  async *"tck-message-response"() {
    yield reply("Direct message response");
  },
  "tck-stream-001": textArtifact("Stream hello from TCK"),
  async *"tck-stream-002"() {
    yield completed();
  },
  "tck-stream-003": textArtifact("Stream task lifecycle"),
  "tck-stream-ordering-001": textArtifact("Ordered output"),
  async *"tck-reject-task"() {
    yield rejected("This task is declined on request.");
  },
  async *"test-resubscribe-message-id"({ signal }) {
    yield working();
    await setTimeout(4000, undefined, { signal });
    yield completed();
  },
  async *"tck-"({ text }) {
    yield completed(`echo: ${text}`);
  },
  "test-": session,
  "text-message-id-": session,
  "cancel-test-": session,
  "msg-": session,
  "concurrent-": session,
  "equiv-": session,
  "sdk-test-": session,
  "auth-test-": session,
};
