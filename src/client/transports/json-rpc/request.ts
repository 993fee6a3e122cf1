import { writeJson } from "../../../wire/json-text.js";
import type { HttpCall, WireRequest } from "../transport.js";

const JSON_TYPE = "application/json";

/** A call as a JSON-RPC request, posted to the interface (RPC-01 to RPC-03). The tenant is one of its parameters (TEN-03). */
export function write({ wire, value, tenant, url, id, streaming }: WireRequest): readonly [HttpCall] {
  const params = tenant === undefined ? value : { ...value, tenant };
  return [
    {
      method: "POST",
      url,
      headers: {
        "Content-Type": JSON_TYPE,
        Accept: streaming ? `text/event-stream, ${JSON_TYPE}` : JSON_TYPE,
      },
      body: writeJson({ jsonrpc: "2.0", id, method: wire.method, params }),
    },
  ];
}
