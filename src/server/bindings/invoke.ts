import { isJsonObject, writeJson } from "../../json/json-text.js";
import { valueSize } from "../../json/value-size.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { SendMessageResponse, StreamResponse, Task } from "../../protocol/model.js";
import {
  fieldsOf,
  type HandlerMethod,
  handlerMethod,
  type Operation,
  type OperationTypes,
  operations,
} from "../../protocol/operations.js";
import { unknownTenant } from "../../protocol/unknown-tenant.js";
import type { Codec } from "../../versions/codec.js";
import { type Arrival, lastValue } from "./arrival.js";
import { checkBounds, checkLists } from "./bounds.js";
import { demandCapability } from "./capability.js";
import { EdgeCall } from "./edge-call.js";
import { activeExtensions, demandExtensions } from "./extensions.js";
import { type OpenedStream, OpeningEvents } from "./opening.js";
import { withAllPages } from "./whole-list.js";
import { type AnswerFrame, writeList } from "./write-list.js";

/** A request that a binding has read: which operation of which version, with what. */
export interface Inquiry extends Arrival {
  readonly codec: Codec;
  readonly operation: Operation;
  /** The operation's request as a JSON value, members from the path included; undefined once it has been decoded. */
  value: unknown;
}

/**
 * Checks that need no parameters, in the order in which they decide: required extensions, then the capability.
 * @returns the extensions that are on
 * @throws A2AError EXTENSION_SUPPORT_REQUIRED, UNSUPPORTED_OPERATION or PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function admit(arrival: Arrival, operation: Operation, codec: Codec): ReadonlySet<string> {
  const active = activeExtensions(arrival, codec);
  demandExtensions(arrival.agent, operation, { active, header: codec.conventions.extensionsHeader });
  demandCapability(operation, arrival.agent.card);
  return active;
}

/** How a binding writes the answer of an operation: a JSON value of the request's version, null when it is empty. */
export interface WriteAnswer extends AnswerFrame {
  /** In place of an empty answer. */
  readonly empty: unknown;
}

/** Operations that change nothing, so that asking again does no harm. */
const reading: ReadonlySet<Operation> = new Set(
  operations.filter(({ http }) => http.some(({ verb }) => verb === "GET")),
);

/**
 * Answers an operation that has one answer.
 * @returns the body of the reply
 * @throws A2AError at once for a request that cannot be read: a promise that is rejected before anyone waits for it costs more
 */
export function invoke(
  inquiry: Inquiry,
  extensions: ReadonlySet<string>,
  write: WriteAnswer,
): Promise<string | Uint8Array> {
  return answered(inquiry, read(inquiry, extensions), write);
}

async function answered(inquiry: Inquiry, asking: Reading, write: WriteAnswer): Promise<string | Uint8Array> {
  const { codec, operation, request } = inquiry;
  const { parameters, call, ask } = asking;
  const isRead = reading.has(operation);
  const turn = isRead ? request.room?.turn() : undefined;
  if (turn !== undefined) await turn;
  const answer = (await ask(parameters)) as AnyResponse;
  const response = codec.conventions.wholeLists
    ? await withAllPages(answer, inquiry.agent.bounds?.page, (pageToken) =>
        ask({ ...parameters, pageToken } as AnyRequest),
      )
    : answer;
  recordTaskVersion(inquiry, call, response);
  const admitted = request.room?.enter(response, isRead);
  // Returned and not awaited: a function that waits would keep the answer, and this one lets go of it.
  if (admitted !== undefined && isRead) return askedAgain(admitted, () => answered(inquiry, asking, write));
  if (admitted !== undefined) await admitted;
  return bodyOf(inquiry, parameters, response, write);
}

/** Apart from {@link answered}, so that no closure there refers to the answer: an answer that waits for room would be kept by it. */
function bodyOf(
  { codec, operation, request: { room } }: Inquiry,
  parameters: AnyRequest,
  response: AnyResponse,
  write: WriteAnswer,
): string | Promise<Uint8Array> {
  const value = codec.encodeResponse(operation.name, response, parameters) ?? write.empty;
  const isList = response !== null && "nextPageToken" in response;
  const body = isList
    ? writeList(value, { ...write, room, size: () => valueSize(response) })
    : write.before + writeJson(value) + write.after;
  if (typeof body === "string") room?.wrote(body.length);
  return body;
}

async function askedAgain<Answer>(admitted: Promise<void>, ask: () => Promise<Answer>): Promise<Answer> {
  await admitted;
  return ask();
}

/**
 * Answers an operation that streams. Waits for the first event, so that a failure before it is an ordinary error
 * (§3.1.2), unless the head of the stream is due before that.
 */
export async function open(inquiry: Inquiry, extensions: ReadonlySet<string>): Promise<OpenedStream> {
  const { parameters, call, ask, askOther } = read(inquiry, extensions);
  const { codec, operation, request } = inquiry;
  const room = reading.has(operation) ? request.room : undefined;
  const rest = new OpeningEvents({
    turn: () => room?.turn(),
    ask: () => ask(parameters) as AsyncIterable<StreamResponse>,
    admit: (event) => room?.enter(event, true),
    began: (event) => recordTaskVersion(inquiry, call, event),
    instead: async () => {
      if (!codec.conventions.settledStreams || operation.request !== "SubscribeToTaskRequest")
        return undefined;
      const task = (await askOther("getTask", parameters)) as Task;
      return isTerminal(task.status.state) ? { task } : undefined;
    },
  });
  return { first: await rest.first(request), rest };
}

/** Versions that take each other's callers have to know which tasks are theirs. */
function recordTaskVersion(
  { agent, codec, operation }: Inquiry,
  call: CallContext,
  answer: AnyResponse,
): void {
  if (operation.request !== "SendMessageRequest" || codec.answersTo.length === 0) return;
  const { task } = answer as SendMessageResponse;
  if (task !== undefined) agent.taskVersions?.record(task.id, call, codec);
}

type AnyRequest = OperationTypes[keyof OperationTypes]["request"];
type AnyResponse = OperationTypes[keyof OperationTypes]["response"];
type AnyMethod = (request: unknown, call: CallContext) => unknown;

/** A request in canonical form, and the handler to ask. */
interface Reading {
  readonly parameters: AnyRequest;
  readonly call: CallContext;
  /** A look-up in a table, whatever the operation. */
  ask(parameters: AnyRequest): unknown;
  askOther(method: HandlerMethod, parameters: AnyRequest): unknown;
}

function read(inquiry: Inquiry, extensions: ReadonlySet<string>): Reading {
  const { request, query, agent, codec, operation, value } = inquiry;
  // An inquiry lives as long as its stream. What the codec leaves out of the request would live as long.
  inquiry.value = undefined;
  checkBounds(value, agent.bounds);
  const parameters = codec.decodeRequest(operation.name, value);
  checkLists(parameters, agent.bounds);
  // An empty tenant is none. That of the path has already taken the place of the one in the body.
  const tenant = parameters.tenant || lastValue(query, "tenant") || "";
  demandTenant(tenant, inquiry, parameters);
  const call = new EdgeCall(request, {
    tenant,
    extensions,
    version: codec.version,
    conventions: codec.conventions,
    metadata: codec.conventions.requestMetadata ? metadataBeside(operation, value) : undefined,
    logger: agent.callLogger ?? agent.logger,
    streaming: operation.streaming,
  });
  const handler = agent.handler as Record<HandlerMethod, AnyMethod>;
  const askOther = (method: HandlerMethod, what: AnyRequest): unknown => handler[method](what, call);
  return { parameters, call, askOther, ask: (what) => askOther(handlerMethod(operation), what) };
}

/** A tenant whose name is longer than names may be does not exist. */
function demandTenant(tenant: string, { agent, codec, operation }: Inquiry, parameters: AnyRequest): void {
  const bytes = agent.bounds?.name;
  if (bytes === undefined || !isLonger(tenant, bytes)) return;
  // Where callers name tasks, the one that a message names need not be there.
  const begins = codec.conventions.clientTaskIds && operation.request === "SendMessageRequest";
  throw unknownTenant(operation, begins ? {} : parameters, `must have at most ${bytes} bytes`);
}

/** Metadata of a request that the model has no place for. */
function metadataBeside(operation: Operation, value: unknown): CallContext["metadata"] {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) return undefined;
  return fieldsOf(operation.request).some(({ name }) => name === "metadata") ? undefined : value.metadata;
}
