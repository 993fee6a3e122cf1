import type { Transport } from "../transport.js";
import { readAnswer, readEvent } from "./answer.js";
import { write } from "./request.js";

/** The JSON-RPC binding on the client side (§9). */
export const jsonRpcTransport: Transport = { binding: "JSONRPC", write, readAnswer, readEvent };
