import type { Transport } from "../transport.js";
import { readAnswer, readEvent } from "./answer.js";
import { write } from "./request.js";

/** The HTTP+JSON binding on the client side (§11). */
export const httpJsonTransport: Transport = { write, readAnswer, readEvent };
