import type { A2AError } from "../protocol/errors.js";
import type { BodyReply, HttpReply, HttpRequest } from "./bindings/http.js";
import { answerHttpJson } from "./bindings/http-json/answer.js";
import { refuseHttpJson } from "./bindings/http-json/error.js";
import { answerJsonRpc } from "./bindings/json-rpc/answer.js";
import { refuseJsonRpc } from "./bindings/json-rpc/error.js";
import type { ServedAgent } from "./bindings/served-agent.js";

/** Name of a binding as cards write it (§5.8). */
export type BindingName = "JSONRPC" | "HTTP+JSON";

/** Settings of the bindings that the edge passes on. */
export interface BindingSettings {
  /** Fixes the media type of HTTP+JSON answers. */
  readonly mediaType?: string;
}

/** What a request is refused with before its binding has seen it. */
export interface RefusalSettings extends BindingSettings {
  /** The agent that it is for, in whose versions it is refused; absent when it is for none in particular. */
  readonly agent?: ServedAgent | undefined;
}

/** What the server knows of a binding. */
export interface ServerBinding {
  /** Answers a request; never rejects. */
  answer(request: HttpRequest, agent: ServedAgent, settings: BindingSettings): Promise<HttpReply>;
  /** The answer to what the server refuses itself. */
  refuse(error: A2AError, request: HttpRequest, settings: RefusalSettings): BodyReply;
}

/** The bindings in the order in which cards list them by default. */
export const bindings: Readonly<Record<BindingName, ServerBinding>> = {
  JSONRPC: { answer: answerJsonRpc, refuse: refuseJsonRpc },
  "HTTP+JSON": { answer: answerHttpJson, refuse: refuseHttpJson },
};
