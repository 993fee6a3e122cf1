import { clientError } from "../../../protocol/errors.js";
import type { Operation } from "../../../protocol/operations.js";
import type { Codec, WireRoute } from "../../../versions/codec.js";
import { type Arrival, arrive } from "../arrival.js";
import { failure } from "../failure.js";
import type { HttpReply, HttpRequest } from "../http.js";
import { admit, type Inquiry, invoke, open } from "../invoke.js";
import { A2A_JSON_TYPE, isJson } from "../media-type.js";
import { replyHeaders, withHeaders } from "../reply-headers.js";
import type { ServedAgent } from "../served-agent.js";
import { streamHeaders } from "../sse.js";
import { codecForRefusal } from "../version.js";
import { errorReply } from "./error.js";
import { type HttpJsonOptions, replyType } from "./media-type.js";
import { type ChosenPlace, carriesBody, choosePlace, readRequest } from "./request.js";
import { frames } from "./stream.js";

/**
 * Answers a request to a path of an agent's HTTP+JSON interface (§11). Never rejects: a failure is a reply in the form of this
 * binding. The first check that fails decides, and nothing behind it has an effect.
 */
export async function answerHttpJson(
  request: HttpRequest,
  agent: ServedAgent,
  options: HttpJsonOptions = {},
): Promise<HttpReply> {
  const arrival = arrive(request, agent);
  let codec: Codec | undefined;
  let operation: Operation | undefined;
  let headers: Readonly<Record<string, string>> = {};
  try {
    const chosen = choosePlace(arrival);
    ({ codec } = chosen);
    const { verbs } = chosen.place;
    const route = verbs.get(request.method);
    if (route === undefined) return wrongVerb([...verbs.keys()].join(", "), { codec, request, options });
    operation = route.operation;
    if (!isJson(request.headers["content-type"]) && carriesBody(request)) {
      throw clientError("CONTENT_TYPE_NOT_SUPPORTED", `Send the request as ${A2A_JSON_TYPE}`);
    }
    const inquiry = inquiryOf(arrival, chosen, route);
    ({ codec } = inquiry);
    if (agent.authenticate !== undefined)
      request.principal = await agent.authenticate(request, inquiry.value);
    const extensions = admit(arrival, operation, codec);
    headers = replyHeaders(operation, extensions, codec);
    if (operation.streaming) {
      const stream = await open(inquiry, extensions);
      return { status: 200, headers: withHeaders(streamHeaders, headers), frames: frames(stream, inquiry) };
    }
    const body = await invoke(inquiry, extensions, writeAnswer);
    const type = replyType(request, codec, options);
    return { status: 200, headers: withHeaders({ "Content-Type": type }, headers), body };
  } catch (thrown) {
    codec ??= codecForRefusal(arrival);
    const type = replyType(request, codec, options);
    return errorReply(failure(thrown, { agent, request, operation }), { type, headers, codec });
  }
}

/** The body is the answer. An empty answer is an empty object. */
const writeAnswer = { before: "", after: "", empty: {} };

/** Reads a request, in the dialect in which its caller writes. */
function inquiryOf(arrival: Arrival, { codec, place }: ChosenPlace, route: WireRoute): Inquiry {
  const { request, agent, query } = arrival;
  const { path, headers } = request;
  const value = readRequest(arrival, route, place);
  const dialect = codec.dialectOf?.({ method: undefined, path, headers, value });
  return { request, agent, query, codec: dialect ?? codec, operation: route.operation, value };
}

interface Refused {
  readonly codec: Codec;
  readonly request: HttpRequest;
  readonly options: HttpJsonOptions;
}

function wrongVerb(allow: string, { codec, request, options }: Refused): HttpReply {
  const error = clientError("METHOD_NOT_FOUND", `This route takes ${allow}`);
  return errorReply(error, {
    type: replyType(request, codec, options),
    codec,
    status: { code: 405, name: "UNIMPLEMENTED" },
    headers: { Allow: allow },
  });
}
