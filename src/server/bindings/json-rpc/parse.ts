import { isJsonObject } from "../../../json/json-text.js";
import { isLonger } from "../../../protocol/byte-length.js";
import { type A2AError, clientError } from "../../../protocol/errors.js";
import type { Codec } from "../../../versions/codec.js";
import { operationOfOldMethod } from "../../../versions/renamed-methods.js";
import { OperationRequest } from "../../operation-request.js";
import { isJson, JSON_TYPE } from "../media-type.js";
import { parseBody } from "../parse-body.js";

/** `id` of a request. */
export type RequestId = string | number | null;

/** Longest `id` of a request, in bytes of UTF-8. It is limited because every frame of a stream repeats it. */
const MAX_ID_BYTES = 256;

/** A call of a JSON-RPC method (§9). Unknown members of the request object are ignored. */
export class JsonRpcRequest extends OperationRequest {
  /** The id that every response repeats; null if the request has none or could not be read. */
  id: RequestId = null;

  override parse(): void {
    const { host, agent } = this;
    if (host.method !== "POST") {
      this.status = { code: 405, name: "UNIMPLEMENTED" };
      this.headers = { Allow: "POST" };
      throw clientError("METHOD_NOT_FOUND", "JSON-RPC calls are sent with POST");
    }
    if (!isJson(host.headers["content-type"])) {
      this.status = { code: 400, name: "INVALID_ARGUMENT" };
      throw clientError("CONTENT_TYPE_NOT_SUPPORTED", `Send the request as ${JSON_TYPE}`);
    }
    const body = parseBody(host, agent.bounds);
    if (Array.isArray(body)) throw invalidRequest("batches are not supported, send one request object");
    if (!isJsonObject(body)) throw invalidRequest("the body must be a JSON-RPC request object");
    const { jsonrpc, id, method, params } = body;
    this.id = readId(id);
    if (jsonrpc !== "2.0") throw invalidRequest('jsonrpc must be "2.0"');
    if (typeof method !== "string") throw invalidRequest("method must be a string");
    this.method = method;
    this.value = params;
  }

  override isIn({ methods }: Codec): boolean {
    return this.method !== undefined && methods.has(this.method);
  }

  override readIn(codec: Codec): void {
    const { method = "" } = this;
    this.operation = codec.methods.get(method);
    if (this.operation === undefined) throw clientError("METHOD_NOT_FOUND", methodAdvice(method, codec));
  }
}

/**
 * The id of a request; null for a request without one, which is answered nevertheless.
 * @throws A2AError INVALID_REQUEST for an id of another type, or of more than 256 bytes
 */
function readId(id: unknown = null): RequestId {
  if (typeof id === "string" && !isLonger(id, MAX_ID_BYTES)) return id;
  // A number is written with at most 24 characters, however many digits it has in the body.
  if (id === null || Number.isInteger(id)) return id as RequestId;
  throw invalidRequest(`id must be a string of at most ${MAX_ID_BYTES} bytes, a whole number or null`);
}

/** The message for a method of an older version: it names the current method. Undefined for any other method. */
function methodAdvice(method: string, { methods, version }: Codec): string | undefined {
  const meant = operationOfOldMethod(method);
  for (const [current, { name }] of methods) {
    if (name === meant) return `Method not found: version ${version} calls it ${current}`;
  }
  return undefined;
}

function invalidRequest(fault: string): A2AError {
  return clientError("INVALID_REQUEST", `Invalid request: ${fault}`);
}
