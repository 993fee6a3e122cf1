import { valueSize } from "../json/value-size.js";
import { generationSeen } from "../protocol/generations.js";
import type { SendMessageResponse, StreamResponse } from "../protocol/model.js";
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

/** Operations that change nothing, so that asking again does no harm. */
export const reading: ReadonlySet<Operation> = new Set(
  operations.filter(({ http }) => http.some(({ verb }) => verb === "GET")),
);

/** What an operation is carried out with. */
export interface OperationInvocation {
  readonly binding: Pick<Binding, "printAnswer">;
  readonly request: ChosenRequest;
  readonly call: ServerCall;
  readonly parameters: Parameters;
}

/**
 * Carries out an operation that has one answer, and prints the answer when there is room for it. An answer of an operation that
 * only reads is not kept while it waits for room: the handler is asked again.
 * @param isAgain whether the handler was asked before, and there is room now
 */
export async function answer(invocation: OperationInvocation, isAgain = false): Promise<BodyReply> {
  const { request, call, parameters } = invocation;
  const { agent, codec, operation, host } = request;
  const isRead = reading.has(operation);
  const turn = isRead ? host.room?.turn() : undefined;
  if (turn !== undefined) await turn;
  // A read that may wait for its task counts as an open stream.
  const leave = generationSeen(parameters) === undefined ? undefined : agent.streams?.take(call);
  const asked = invoke(agent, operation, parameters, call) as AnyResponse | Promise<AnyResponse>;
  const found = await (leave === undefined ? asked : Promise.resolve(asked).finally(leave));
  const response = codec.conventions.wholeLists
    ? await withAllPages(found, agent.bounds?.page, (pageToken) =>
        invoke(agent, operation, { ...parameters, pageToken } as Parameters, call),
      )
    : found;
  recordTaskVersion(request, call, response);
  // An answer that was asked for again has its room, and waits for its turn at most.
  const isRepeatable = isRead && !isAgain;
  const admitted = host.room?.enter(response, isRepeatable);
  // Returned and not awaited: a function that waits would keep the answer, and this one lets go of it.
  if (admitted !== undefined && isRepeatable) return askedAgain(admitted, invocation);
  if (admitted !== undefined) await admitted;
  return printed(invocation, response);
}

async function askedAgain(admitted: Promise<void>, invocation: OperationInvocation): Promise<BodyReply> {
  await admitted;
  return answer(invocation, true);
}

/** Apart from {@link answer}, so that no closure there refers to the answer: an answer that waits for room would be kept by it. */
function printed(
  { binding, request, parameters }: OperationInvocation,
  response: AnyResponse,
): BodyReply | Promise<BodyReply> {
  const value = request.codec.encodeResponse(request.operation.name, response, parameters);
  const isList = response !== null && "nextPageToken" in response;
  const answer: Answer = isList ? { value, size: () => valueSize(response) } : { value };
  return binding.printAnswer(answer, request);
}

/** Notes the version of a task that a call has begun: versions that take each other's callers have to know which tasks are theirs. */
export function recordTaskVersion(
  { agent, codec, operation }: ChosenRequest,
  call: ServerCall,
  answer: AnyResponse | StreamResponse,
): void {
  if (operation.request !== "SendMessageRequest" || codec.answersTo.length === 0) return;
  const { task } = answer as SendMessageResponse;
  if (task !== undefined) agent.taskVersions?.record(task.id, call, codec);
}
