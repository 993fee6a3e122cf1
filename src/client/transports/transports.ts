import { httpJson } from "./http-json/transport.js";
import { jsonRpc } from "./json-rpc/transport.js";
import type { Transport } from "./transport.js";

/** Every binding that agents can be called over, by the name that cards use. */
export const transports: ReadonlyMap<string, Transport> = new Map(
  [jsonRpc, httpJson].map((transport) => [transport.binding, transport]),
);
