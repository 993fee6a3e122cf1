import { valueSize } from "../json/value-size.js";
import { generationSeen } from "../protocol/generations.js";
import type { SendMessageRequest, SendMessageResponse, StreamResponse } from "../protocol/model.js";
import {
  type Operation,
  type OperationName,
  type OperationTypes,
  operations,
} from "../protocol/operations.js";
import { withAllPages } from "./all-pages.js";
import type { Answer, Binding } from "./bindings/binding.js";
import type { Parameters } from "./decode-parameters.js";
import type { BodyReply } from "./host.js";
import { invoke } from "./interceptors/interceptor.js";
import type { ChosenRequest } from "./operation-request.js";
import type { ServerCall } from "./server-call.js";

type AnyResponse = OperationTypes[OperationName]["response"];

/** Operations that only read, and can therefore be repeated. */
export const reading: ReadonlySet<Operation> = new Set(
  operations.filter(({ http }) => http.some(({ verb }) => verb === "GET")),
);

/** An operation to perform, with the request and call that it belongs to. */
export interface OperationInvocation {
  readonly binding: Pick<Binding, "printAnswer">;
  readonly request: ChosenRequest;
  readonly call: ServerCall;
  readonly parameters: Parameters;
}

/**
 * Performs a unary operation, and writes its response once the memory for unsent responses has room. The response of an operation that
 * only reads is dropped while it waits, and the handler is called again.
 * @param isAgain whether the handler was called before, and there is room now
 */
export async function answer(invocation: OperationInvocation, isAgain = false): Promise<BodyReply> {
  const { request, call, parameters } = invocation;
  const { agent, codec, operation, host } = request;
  const isRead = reading.has(operation);
  const turn = isRead ? host.room?.turn() : undefined;
  if (turn !== undefined) await turn;
  // A read that may wait for its task counts as an open stream.
  const leave = generationSeen(parameters, call) === undefined ? undefined : agent.streams?.take(call);
  const asked = invoke(agent, operation, parameters, call) as AnyResponse | Promise<AnyResponse>;
  const found = await (leave === undefined ? asked : Promise.resolve(asked).finally(leave));
  const response = codec.conventions.wholeLists
    ? await withAllPages(found, agent.bounds?.page, (pageToken) =>
        invoke(agent, operation, { ...parameters, pageToken } as Parameters, call),
      )
    : found;
  recordTaskVersion(invocation, response);
  // The second response of a handler has room already, and waits for its turn at most.
  const isRepeatable = isRead && !isAgain;
  const admitted = host.room?.enter(response, isRepeatable);
  // Returned and not awaited, because an awaiting function would keep the response in memory.
  if (admitted !== undefined && isRepeatable) return askedAgain(admitted, invocation);
  if (admitted !== undefined) await admitted;
  return printed(invocation, response);
}

async function askedAgain(admitted: Promise<void>, invocation: OperationInvocation): Promise<BodyReply> {
  await admitted;
  return answer(invocation, true);
}

/** A separate function, because a closure in {@link answer} would keep a response in memory while it waits for room. */
function printed(
  { binding, request, parameters }: OperationInvocation,
  response: AnyResponse,
): BodyReply | Promise<BodyReply> {
  const value = request.codec.encodeResponse(request.operation.name, response, parameters);
  const isList = response !== null && "nextPageToken" in response;
  const answer: Answer = isList ? { value, size: () => valueSize(response) } : { value };
  return binding.printAnswer(answer, request);
}

/** Records the version in which a call has created a task, if the version also serves callers of others: see `chooseByTask`. */
export function recordTaskVersion(
  { request, call, parameters }: Omit<OperationInvocation, "binding">,
  answer: AnyResponse | StreamResponse,
): void {
  const { agent, codec, operation } = request;
  if (operation.request !== "SendMessageRequest" || codec.answersTo.length === 0) return;
  const { task } = answer as SendMessageResponse;
  const { message } = parameters as SendMessageRequest;
  // A call that names its task may have continued it. The stored version is read when it is needed.
  const isSure = message.taskId === undefined || !agent.taskVersions?.isStored;
  if (task !== undefined && isSure) agent.taskVersions?.record(task.id, call, codec);
}
