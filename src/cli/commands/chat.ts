import type { Client } from "../../client/client.js";
import { isInterrupted } from "../../protocol/lifecycle.js";
import { userMessage } from "../../protocol/messages.js";
import type { Received, SendMessageResponse } from "../../protocol/model.js";
import { ChatSession } from "../chat/chat-session.js";
import type { Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { usage } from "../failure.js";
import { callOptions, pollInterval } from "../options.js";
import { CommandOutput } from "../output.js";
import { untilDone } from "../send-message.js";
import { commandFor, outcomeOf, reportOutcome, writeResponse } from "../text/write-task.js";

/** `parley chat`: a conversation with an agent. Nothing is stored on disk. */
export const chat: Command = {
  path: ["chat"],
  summary: "Talk to an agent; from a pipe, each line is a message",
  args: [],
  options: [{ name: "context-id", takes: "id", help: "Continue this context" }, pollInterval, ...callOptions],
  examples: [
    "parley chat -a localhost:41241",
    "printf 'Plan a weekend\\nLisbon\\n' | parley chat -a localhost:41241",
  ],
  async run(call) {
    const { io, values, signal } = call;
    const isConversation = io.isInputTerminal && !call.output.isJson;
    if (isConversation && !(io.isTerminal && io.isOutputTerminal))
      throw usage("chat needs a terminal, or lines from a pipe", "parley send");
    const client = await connectAgent(call);
    const contextId = values.text("context-id");
    await (isConversation ? converse : answerLines)(call, client, contextId);
    signal.throwIfAborted();
  },
};

/** A conversation at a terminal, until the person leaves it. */
async function converse(call: CommandCall, client: Client, contextId: string | undefined): Promise<void> {
  const { io, notes, signal } = call;
  const editor = io.edit();
  const session = new ChatSession(call, client, contextId);
  const close = (): void => editor.close();
  editor.onInterrupt = () => {
    if (!session.interrupt()) close();
  };
  signal.addEventListener("abort", close);
  notes.hint(`you are talking to ${client.card.name}; /help lists the commands`);
  try {
    while (!session.hasLeft) {
      const line = await editor.read(session.prompt);
      if (line === undefined) break;
      await session.handle(line);
    }
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
  if (session.contextId !== undefined)
    notes.hint(`${commandFor(call, "chat")} --context-id ${session.contextId} continues this conversation`);
}

/** What the next line continues: a context, and in it a task. */
interface Thread {
  readonly contextId?: string;
  /** The task that waits for an answer. */
  readonly taskId?: string;
}

/** Sends each line of standard input and prints the response. A failure ends the command. */
async function answerLines(call: CommandCall, client: Client, contextId: string | undefined): Promise<void> {
  const { io, notes, signal, output } = call;
  // In JSON every turn is one line.
  const page = new CommandOutput(io, {
    isJson: output.isJson,
    isVerbose: output.isVerbose,
    isStream: true,
  });
  let thread: Thread = contextId === undefined ? {} : { contextId };
  for await (const line of io.readLines(signal)) {
    if (line.trim() === "") continue;
    const response = await untilDone(call, client, { message: userMessage(line, thread) });
    notes.clearProgress();
    page.print(response, (shown) => writeResponse(shown, response));
    reportOutcome(call, outcomeOf(response));
    thread = threadAfter(response, thread);
  }
}

/** The next message answers a task that waits, or starts a new task in the same context. */
function threadAfter({ task, message }: Received<SendMessageResponse>, before: Thread): Thread {
  const contextId = task?.contextId ?? message?.contextId ?? before.contextId;
  const context = contextId === undefined ? {} : { contextId };
  return task !== undefined && isInterrupted(task.status.state) ? { ...context, taskId: task.id } : context;
}
