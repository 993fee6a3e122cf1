import { operations } from "../../../protocol/operations.js";

/** The parts of a request that say what it is for. */
export interface PurposeSource {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
}

/**
 * What a request is for, in the words of the wire: the method of JSON-RPC as it was sent, the operation of a path of HTTP+JSON, the method
 * of gRPC, "Card" for one of the places of cards; otherwise the path.
 */
export function purposeOf({ method, url, body }: PurposeSource): string {
  const { pathname } = new URL(url);
  if (/\/\.well-known\/agent(-card)?\.json$|\/agentCard$/.test(pathname)) return "Card";
  return rpcMethod(body) ?? restOperation(method, pathname) ?? grpcMethod(pathname) ?? pathname;
}

function rpcMethod(body: string | undefined): string | undefined {
  if (!body?.startsWith("{") || !body.includes('"jsonrpc"')) return undefined;
  try {
    const { method } = JSON.parse(body) as { method?: unknown };
    return typeof method === "string" ? method : undefined;
  } catch {
    return undefined;
  }
}

/** Routes as patterns of the end of a path, the longest first: `/tasks/{id}` also ends other paths. */
const routes = operations
  .flatMap(({ name, http }) => http.map(({ verb, path }) => ({ name, verb, path })))
  .sort((one, other) => other.path.length - one.path.length)
  .map(({ name, verb, path }) => {
    const pattern = path.split(/\{\w+\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return { name, verb, pattern: new RegExp(`${pattern.join("[^/:]+")}$`) };
  });

function restOperation(method: string, pathname: string): string | undefined {
  return routes.find(({ verb, pattern }) => verb === method && pattern.test(pathname))?.name;
}

function grpcMethod(pathname: string): string | undefined {
  return /^\/[\w.]+\/([A-Z]\w+)$/.exec(pathname)?.[1];
}
