import { turns } from "../async/turns.js";
import type { A2AError } from "../protocol/errors.js";
import { activeExtensions, checkCapability, checkExtensions, headersFor } from "./admission.js";
import { answer } from "./answer.js";
import type { Binding } from "./bindings/binding.js";
import { chooseByTask, chooseVersion, codecForRefusal, codecOf } from "./choose-version.js";
import { decodeParameters } from "./decode-parameters.js";
import { failure } from "./failure.js";
import type { BodyReply, HostRequest, HostResponse } from "./host.js";
import { openStream } from "./open-stream.js";
import type { OperationRequest, RefusedRequest } from "./operation-request.js";
import type { ServedAgent } from "./served-agent.js";
import { ServerCall } from "./server-call.js";

/**
 * Answers a request to an agent. The steps are in the order of the checks: the first check that fails determines the error, and no later
 * step has an effect. Never rejects: every failure becomes a reply in the form of the binding.
 */
export async function respond<Frame>(
  host: HostRequest,
  binding: Binding<Frame>,
  agent: ServedAgent,
): Promise<HostResponse<Frame>> {
  const request: OperationRequest = binding.accept(host, agent);
  try {
    // HTTP and JSON: method, route, media type, body, envelope.
    request.parse();
    // The protocol version, and the operation.
    chooseVersion(request);
    host.operation = request.operation.name;
    // The caller, and its rate limit.
    if (agent.authenticate !== undefined) host.principal = await agent.authenticate(host, request.value);
    const call = new ServerCall(request);
    const choosing = chooseByTask(request, call);
    if (choosing !== undefined) await choosing;
    // The extensions that the card requires, and the capability of the operation.
    call.extensions = activeExtensions(request);
    checkExtensions(request, call.extensions);
    checkCapability(request);
    request.headers = headersFor(request, call.extensions);
    // The parameters. Parsing, validating and handling a large request each have a turn of the event loop.
    const { bodyLength = 0 } = host;
    const parsed = turns.worked(bodyLength);
    if (parsed !== undefined) await parsed;
    const parameters = decodeParameters(request, call);
    const decoded = turns.worked(bodyLength);
    if (decoded !== undefined) await decoded;
    // The interceptors and the handler, whose result the binding writes.
    const invocation = { binding, request, call, parameters };
    if (request.operation.streaming) return binding.printStream(await openStream(invocation), request);
    return await answer(invocation);
  } catch (thrown) {
    return binding.printError(failure(thrown, request), refused(request));
  }
}

/** A request that fails outside of the pipeline. */
export interface RefusedEarly {
  readonly host: HostRequest;
  readonly binding: Binding<unknown>;
  readonly agent: ServedAgent;
}

/** The reply to a request that fails outside of the pipeline, for example because it is too large or the server stops. */
export function refuse(error: A2AError, { host, binding, agent }: RefusedEarly): BodyReply {
  const request = binding.accept(host, agent);
  try {
    request.codec = codecOf(request);
  } catch {
    // The version is unknown: the error is written in the most likely one.
  }
  return binding.printError(error, refused(request));
}

function refused(request: OperationRequest): RefusedRequest {
  request.codec ??= codecForRefusal(request);
  return request as RefusedRequest;
}
