import type { Client } from "../../client/client.js";
import { isInterrupted } from "../../protocol/lifecycle.js";
import { userMessage } from "../../protocol/messages.js";
import type { SendMessageResponse } from "../../protocol/model.js";
import type { Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { failureOf, usage } from "../failure.js";
import { callOptions, pollInterval } from "../options.js";
import { CommandOutput } from "../output.js";
import { untilDone } from "../send-message.js";
import { outcomeOf, reportOutcome, writeResponse } from "../text/write-task.js";

/** What the next message continues. */
interface Thread {
  readonly contextId?: string;
  /** The task that waits for a reply. */
  readonly taskId?: string;
}

/** `parley chat`: an interactive conversation. It keeps nothing on disk; every turn prints the ids to continue with. */
export const chat: Command = {
  path: ["chat"],
  summary: "Talk to an agent, one line of standard input per message",
  args: [],
  options: [{ name: "context-id", takes: "id", help: "Go on in this context" }, pollInterval, ...callOptions],
  examples: [
    "parley chat -a localhost:41241",
    "printf 'Plan a weekend\\nLisbon\\n' | parley chat -a localhost:41241",
  ],
  async run(call) {
    const { io, notes, signal, values } = call;
    if (io.isTyped && !io.isTerminal)
      throw usage("chat needs a terminal, or lines from a pipe", "parley send");
    const client = await connectAgent(call);
    const contextId = values.text("context-id");
    let thread: Thread = contextId === undefined ? {} : { contextId };
    notes.prompt();
    for await (const line of io.readLines(signal)) {
      if (line.trim() !== "") thread = await turn(call, client, line, thread);
      notes.prompt();
    }
    signal.throwIfAborted();
  },
};

/** Sends one message and prints the response. An interactive chat continues after a failure; a script ends. */
async function turn(call: CommandCall, client: Client, line: string, thread: Thread): Promise<Thread> {
  const { io, notes, signal, output } = call;
  try {
    const response = await untilDone(call, client, { message: userMessage(line, thread) });
    notes.settle();
    // In JSON every turn is one line.
    new CommandOutput(io, { ...styleOf(output), isStream: true }).print(response, (page) =>
      writeResponse(page, response),
    );
    reportOutcome(call, outcomeOf(response));
    return threadAfter(response, thread);
  } catch (error) {
    if (!io.isTyped || signal.aborted) throw error;
    const { message, code } = failureOf(error, { hasCredentials: true });
    notes.error(`${message} (${code})`);
    return thread;
  }
}

function styleOf({ isJson, isVerbose }: CommandOutput) {
  return { isJson, isVerbose };
}

/** The next message replies to a task that waits, or starts a new task in the same context. */
function threadAfter({ task, message }: SendMessageResponse, before: Thread): Thread {
  const contextId = task?.contextId ?? message?.contextId ?? before.contextId;
  const context = contextId === undefined ? {} : { contextId };
  return task !== undefined && isInterrupted(task.status.state) ? { ...context, taskId: task.id } : context;
}
