import { A2AError } from "../../errors.js";
import { writeJson } from "../../wire/json-text.js";
import { arrive } from "../arrival.js";
import { failure } from "../failure.js";
import type { HttpRequest, Reply } from "../http.js";
import { admit, invoke, open } from "../invoke.js";
import { A2A_JSON_TYPE, isJson } from "../media-type.js";
import { replyHeaders, withHeaders } from "../reply-headers.js";
import type { ServedAgent } from "../served-agent.js";
import { streamHeaders } from "../sse.js";
import { errorReply } from "./error.js";
import { type HttpJsonOptions, replyType } from "./media-type.js";
import { carriesBody, chooseVersion, readRequest } from "./request.js";
import { findPlace } from "./routes.js";
import { frames } from "./stream.js";

/**
 * Answers a request to a path of an agent's HTTP+JSON interface (§11). Never rejects: a failure is a reply in the form of this
 * binding. The first check that fails decides, and nothing behind it has an effect.
 */
export async function answerHttpJson(
  request: HttpRequest,
  agent: ServedAgent,
  options: HttpJsonOptions = {},
): Promise<Reply> {
  const type = replyType(request, options);
  const place = findPlace(request.path);
  if (place === undefined)
    return errorReply(new A2AError("METHOD_NOT_FOUND", "There is no such route"), { type });
  const operation = place.verbs.get(request.method);
  if (operation === undefined) return wrongVerb([...place.verbs.keys()].join(", "), type);
  if (!isJson(request.headers["content-type"]) && carriesBody(request)) {
    const error = new A2AError("CONTENT_TYPE_NOT_SUPPORTED", `Send the request as ${A2A_JSON_TYPE}`);
    return errorReply(error, { type });
  }
  let headers: Readonly<Record<string, string>> = {};
  try {
    const arrival = arrive(request, agent);
    const value = readRequest(arrival, operation, place);
    const codec = chooseVersion(arrival);
    if (agent.authenticate !== undefined) request.principal = await agent.authenticate(request);
    const extensions = admit(arrival, operation);
    headers = replyHeaders(operation, extensions);
    const inquiry = { request, agent, query: arrival.query, codec, operation, value };
    if (operation.streaming) {
      const stream = await open(inquiry, extensions);
      return { status: 200, headers: withHeaders(streamHeaders, headers), frames: frames(stream, inquiry) };
    }
    // An empty answer is an empty object here (OP-PUSH-21).
    const body = writeJson((await invoke(inquiry, extensions)) ?? {});
    return { status: 200, headers: withHeaders({ "Content-Type": type }, headers), body };
  } catch (thrown) {
    return errorReply(failure(thrown, { agent, request, operation }), { type, headers });
  }
}

function wrongVerb(allow: string, type: string): Reply {
  const error = new A2AError("METHOD_NOT_FOUND", `This route takes ${allow}`);
  return errorReply(error, { type, status: { code: 405, name: "UNIMPLEMENTED" }, headers: { Allow: allow } });
}
