import { userMessage } from "../../protocol/messages.js";
import type { SendMessageRequest } from "../../protocol/model.js";
import type { Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { usage } from "../failure.js";
import { printEvents } from "../follow-events.js";
import { messageParts } from "../message-parts.js";
import { callOptions, pollInterval, stream } from "../options.js";
import { isNew, sendWithoutWaiting, untilDone } from "../send-message.js";
import { outcomeOf, reportOutcome, writeResponse } from "../text/write-task.js";

/** `parley send`: sends a message, which creates or continues a task. */
export const sendCommand: Command = {
  path: ["send"],
  summary: "Send a message and wait for the result",
  args: [{ name: "text", optional: true, help: "Text of the message; flags can add parts" }],
  options: [
    {
      name: "text",
      aliases: ["text-part"],
      takes: "text",
      many: true,
      explicit: true,
      help: "A text part",
    },
    {
      name: "file",
      aliases: ["file-part"],
      takes: "path|url",
      many: true,
      explicit: true,
      help: "A file: its bytes for a path, or its URL",
    },
    {
      name: "data",
      aliases: ["data-part"],
      takes: "path|-",
      many: true,
      explicit: true,
      help: "A JSON value from a file or standard input",
    },
    {
      name: "media-type",
      takes: "type",
      many: true,
      explicit: true,
      help: "Media type of the part before it",
    },
    { name: "task-id", takes: "id", help: "Continue this task" },
    { name: "context-id", takes: "id", help: "Create a task in this context" },
    { name: "metadata", takes: "json", help: "Metadata of the request, a JSON object" },
    {
      name: "async",
      aliases: ["return-immediately", "no-wait"],
      help: "Do not wait; print the ids for a later `task get`",
    },
    { name: "wait", help: "Wait until the task has ended or waits for you (default)" },
    stream,
    pollInterval,
    ...callOptions,
  ],
  examples: [
    'parley send -a localhost:41241 "Plan a weekend"',
    'parley send -a localhost:41241 --task-id <id> "Lisbon"',
    'parley send -a localhost:41241 --text "What is this?" --file photo.png -o json',
  ],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { values, output, notes, signal } = call;
  const isWaiting = values.isGiven("wait") || !values.isOn("async");
  if (values.isGiven("wait") && values.isGiven("async")) throw usage("--wait and --async exclude each other");
  if (output.isStream && !isWaiting) throw usage("--stream and --async exclude each other");
  const request = await readRequest(call);
  const client = await connectAgent(call);
  if (output.isStream && client.card.capabilities.streaming === true) {
    const events = client.sendStreamingMessage(request, { signal, fallback: true });
    return printEvents(call, client, events, isNew(request));
  }
  if (output.isStream) notes.warn("the agent does not support streaming: the task is polled");
  const response = await (isWaiting
    ? untilDone(call, client, request)
    : sendWithoutWaiting(call, client, request));
  notes.clearProgress();
  output.print(response, (page) => writeResponse(page, response));
  reportOutcome(call, outcomeOf(response));
}

async function readRequest({ parts: flags, values, io }: CommandCall): Promise<SendMessageRequest> {
  const parts = await messageParts(flags, io);
  const taskId = values.text("task-id");
  const contextId = values.text("context-id");
  const metadata = values.object("metadata");
  const message = userMessage(parts, {
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
  });
  return { message, ...(metadata !== undefined && { metadata }) };
}
