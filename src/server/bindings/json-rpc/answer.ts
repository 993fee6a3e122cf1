import { writeJson } from "../../../json/json-text.js";
import { clientError } from "../../../protocol/errors.js";
import type { Operation } from "../../../protocol/operations.js";
import type { Codec } from "../../../versions/codec.js";
import { arrive } from "../arrival.js";
import { failure } from "../failure.js";
import type { HttpReply, HttpRequest } from "../http.js";
import { admit, invoke, open } from "../invoke.js";
import { isJson, JSON_TYPE } from "../media-type.js";
import { parseBody } from "../parse-body.js";
import { replyHeaders, withHeaders } from "../reply-headers.js";
import type { ServedAgent } from "../served-agent.js";
import { errorFrame, streamHeaders } from "../sse.js";
import { codecForRefusal } from "../version.js";
import { errorReply, errorText } from "./error.js";
import {
  type Call,
  type Choice,
  chooseByTask,
  chooseMethod,
  openEnvelope,
  type RequestId,
  readCall,
  readId,
  takeParams,
} from "./request.js";
import { frames } from "./stream.js";

const jsonHeaders = Object.freeze({ "Content-Type": JSON_TYPE });

/**
 * Answers a request to the JSON-RPC endpoint of an agent (§9). Never rejects: a failure is a reply in the form of this
 * binding. The first check that fails decides, and nothing behind it has an effect.
 */
export async function answerJsonRpc(request: HttpRequest, agent: ServedAgent): Promise<HttpReply> {
  const arrival = arrive(request, agent);
  if (request.method !== "POST") {
    const error = clientError("METHOD_NOT_FOUND", "JSON-RPC calls are sent with POST");
    return errorReply(error, { status: 405, headers: { Allow: "POST" }, codec: codecForRefusal(arrival) });
  }
  if (!isJson(request.headers["content-type"])) {
    const error = clientError("CONTENT_TYPE_NOT_SUPPORTED", `Send the request as ${JSON_TYPE}`);
    return errorReply(error, { status: 400, codec: codecForRefusal(arrival) });
  }
  let id: RequestId = null;
  let method: string | undefined;
  let codec: Codec | undefined;
  let operation: Operation | undefined;
  let headers: Readonly<Record<string, string>> = {};
  try {
    const envelope = openEnvelope(parseBody(request, agent.bounds));
    id = readId(envelope);
    const call = readCall(envelope);
    ({ method } = call);
    const first = chooseMethod(arrival, call);
    ({ codec, operation } = inDialect(first, call, request));
    if (agent.authenticate !== undefined) request.principal = await agent.authenticate(request, call.params);
    const choosing = chooseByTask(arrival, call, first.codec);
    const chosen = choosing && (await choosing);
    if (chosen !== undefined) ({ codec, operation } = inDialect(chosen, call, request));
    const extensions = admit(arrival, operation, codec);
    headers = replyHeaders(operation, extensions, codec);
    const { query } = arrival;
    const inquiry = { request, agent, query, codec, operation, value: takeParams(call) };
    if (operation.streaming) {
      const stream = await open(inquiry, extensions);
      return {
        status: 200,
        headers: withHeaders(streamHeaders, headers),
        frames: frames(stream, inquiry, id),
      };
    }
    const write = { before: `{"jsonrpc":"2.0","id":${writeJson(id)},"result":`, after: "}", empty: null };
    const body = await invoke(inquiry, extensions, write);
    return { status: 200, headers: withHeaders(jsonHeaders, headers), body };
  } catch (thrown) {
    const error = failure(thrown, { agent, request, operation });
    codec ??= codecForRefusal(arrival, method);
    const reply = errorReply(error, { id, headers, codec });
    const isStreamed = operation?.streaming && codec.conventions.streamedErrors && reply.status === 200;
    if (!isStreamed) return reply;
    const body = errorFrame(errorText(error, id, codec));
    return { status: 200, headers: withHeaders(streamHeaders, headers), body };
  }
}

/** What was chosen, in the way in which the caller writes. */
function inDialect(
  { codec, operation, versionFromTask: born }: Choice,
  { method, params }: Call,
  { headers }: HttpRequest,
) {
  const dialect = codec.dialectOf?.({ method, headers, value: params, versionFromTask: born }) ?? codec;
  return { codec: dialect, operation: dialect.methods.get(method) ?? operation };
}
