import type { Message, Operation, Spec } from "../spec-model.js";
import { operationLink, page, table, typeLink, typeOf } from "./markdown.js";

/** `streams.md`: the frames of event streams and the bodies of webhooks, which OpenAPI cannot describe. */
export function streamsPage({ protocolVersion, operations, messages }: Spec): string {
  const streaming = operations.filter((operation) => operation.streaming);
  const events = messages.filter(({ name }) => streaming.some(({ response }) => response === name));
  return page(`Streams of A2A ${protocolVersion}`, [
    `${streaming.map(({ name }) => operationLink(name)).join(" and ")} respond with \`text/event-stream\` in JSON-RPC and HTTP+JSON. Each event is a block of lines that ends with an empty line. The body ends after the last event.`,
    "## Frames",
    table(
      ["Line", "Meaning"],
      [
        [
          "`data:`",
          "one JSON value on one line: in HTTP+JSON the event itself, in JSON-RPC a response whose `result` is the event and whose `id` is that of the request",
        ],
        [
          "`id:`",
          "number of the event in the log of the task, its *generation*; a direct reply without a task has none. A client that reconnects with SubscribeToTask sends the last one as `Last-Event-ID`, and gets the task as of that event, then every later event. If the agent no longer has these events, the stream begins with the current task; if the task has ended and no later event is stored, the client gets `UNSUPPORTED_OPERATION` instead. Other servers may send other ids, or none",
        ],
        ["`event: error`", "the stream ends with the error that is in `data:`, in the form of the binding"],
        ["a line that begins with `:`", "a comment that keeps an idle connection open; ignore it"],
      ],
    ),
    ...events.flatMap(eventSection),
    "## Order",
    "A stream begins with a snapshot of the task, or with a message that is the complete response. Updates follow in the order in which they were stored. The stream closes after the status that ends the task. A stream of SendStreamingMessage also closes after `TASK_STATE_INPUT_REQUIRED`, because the task continues with the next message of the client.",
    "## Webhooks",
    `A webhook receives the same events, unless \`push.events\` leaves some out, one per POST, as \`application/a2a+json\`: the body is ${events.map(({ name }) => typeLink(name)).join(", ")}. They arrive in order, each at least once, unless the agent gives up the event or the webhook, or the registration or the task is deleted first.`,
    "## As AsyncAPI",
    ...streaming.map(channel),
  ]);
}

function eventSection({ name, description, fields, oneofs }: Message): string[] {
  const rows = fields.map((field) => [`\`${field.name}\``, typeOf(field), field.description]);
  const group = oneofs.length === 0 ? "" : " The member identifies the kind of event.";
  return [`## Events: ${name}`, `${description}${group}`, table(["Member", "Type", "Meaning"], rows)];
}

/** One channel in the terms of AsyncAPI: its address, its sender and its messages. */
function channel({ name, http, request, response, description }: Operation): string {
  const addresses = http.map(({ verb, path }) => `\`${verb} ${path}\``).join(", ");
  return `- **${name}**: channel at ${addresses}; the caller opens it with ${typeLink(request)}, the agent sends messages of type ${typeLink(response ?? "")}. ${description}`;
}
