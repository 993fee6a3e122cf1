import type { BindingName } from "../../protocol/operations.js";
import type { Binding } from "./binding.js";
import { httpJson } from "./http-json/print.js";
import { jsonRpc } from "./json-rpc/print.js";

/** The bindings in the order in which cards list them by default. */
export const bindings: Readonly<Record<BindingName, Binding>> = {
  JSONRPC: jsonRpc,
  "HTTP+JSON": httpJson,
};
