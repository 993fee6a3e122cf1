import type { BindingName } from "../../protocol/operations.js";
import { readAnswer, readEvent } from "./json-rpc/answer.js";
import { write } from "./json-rpc/request.js";
import type { Transport } from "./transport.js";

/** The JSON-RPC binding on the client side (§9). Only the other bindings are imported on demand. */
const jsonRpc: Transport = { write, readAnswer, readEvent };

/** How the transport of each binding is loaded, by the names that cards use. */
const loaders: Readonly<Record<BindingName, () => Transport | Promise<Transport>>> = {
  JSONRPC: () => jsonRpc,
  "HTTP+JSON": async () => (await import("./http-json/transport.js")).httpJsonTransport,
  GRPC: async () => (await import("./grpc/transport.js")).grpcTransport,
};

/** The bindings that a client can use. */
export const transportNames = Object.keys(loaders) as readonly BindingName[];

/** Whether the client has a transport for a binding. */
export function isBinding(name: string): name is BindingName {
  return Object.hasOwn(loaders, name);
}

/** The transport of a binding; a promise of it for the bindings that are imported on demand. */
export function loadTransport(binding: BindingName): Transport | Promise<Transport> {
  return loaders[binding]();
}
