import type { ServerOptions as NodeServerOptions } from "node:http";
import type { Complete } from "../../json/omit.js";
import type { Limits } from "../limits.js";

/** The part of the time for a request within which its headers must arrive. */
const HEADERS_PART = 1 / 4;
/** Number of checks for slow connections in that time, and the longest pause between two checks in milliseconds. */
const CHECKS = 4;
const CHECK_MS = 5_000;
/** Largest value of Node's option `maxHeaderSize`. */
const MAX_HEADERS = 2 ** 31 - 1;

/** Limits on slow requests and large headers, so that a caller cannot hold connections or memory. */
export function connectionRules({ requestTime, headers }: Complete<Limits>): NodeServerOptions {
  const bounded = { maxHeaderSize: Math.min(headers, MAX_HEADERS) };
  if (requestTime === Number.POSITIVE_INFINITY) return { ...bounded, requestTimeout: 0, headersTimeout: 0 };
  const time = Math.ceil(requestTime * 1000);
  const headersTimeout = Math.ceil(time * HEADERS_PART);
  return {
    ...bounded,
    requestTimeout: time,
    headersTimeout,
    connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(headersTimeout / CHECKS)),
  };
}
