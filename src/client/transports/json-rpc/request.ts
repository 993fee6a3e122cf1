import { writeJson } from "../../../json/json-text.js";
import type { HttpCall, WireRequest } from "../transport.js";

const JSON_TYPE = "application/json";

/**
 * A call as a JSON-RPC request, posted to the interface (§9.3, §5.3, §9.1). The tenant is one of its parameters (§8.3.2). Alternatives
 * follow for older agents that have a path instead of a method.
 */
export function write(request: WireRequest): readonly [HttpCall, ...HttpCall[]] {
  const { wire, value, tenant, url, id, streaming } = request;
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
    ...(wire.path === undefined ? [] : callsTo(wire.path, url)),
  ];
}

/**
 * The calls to a path: resolved against the URL of the interface, as the version specifies, and below that URL, where an agent under a
 * prefix serves it.
 */
function callsTo(path: string, url: URL): HttpCall[] {
  const below = new URL(url);
  below.pathname = `${url.pathname.replace(/\/$/, "")}/`;
  const urls = [url, below].map((base) => new URL(path, base).href);
  return [...new Set(urls)].map((one) => ({
    method: "GET",
    url: new URL(one),
    headers: { Accept: JSON_TYPE },
    answeredIn: "HTTP+JSON",
  }));
}
