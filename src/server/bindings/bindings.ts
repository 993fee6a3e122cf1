import type { BindingName } from "../../protocol/operations.js";
import type { Binding } from "./binding.js";
import { httpJson } from "./http-json/print.js";
import { jsonRpc } from "./json-rpc/print.js";

/** The bindings whose messages are JSON text, by their names in cards. */
export const bindings: Readonly<Record<Exclude<BindingName, "GRPC">, Binding>> = {
  JSONRPC: jsonRpc,
  "HTTP+JSON": httpJson,
};
