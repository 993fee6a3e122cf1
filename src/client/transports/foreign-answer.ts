import { readJson } from "../../wire/json-text.js";
import { invalidResponse, shown } from "../client-error.js";
import { describe, type Incoming } from "../exchange.js";
import { recogniseError } from "../recognise-error.js";
import type { WireRequest } from "./transport.js";

/** Statuses with which a proxy or server answers for the agent, in whatever form (§3.3.2). */
const REFUSALS = [401, 403, 413, 429, 503, 504];

/** A JSON value, or undefined for text that is none. */
export function jsonOrNothing(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The failure in an answer that is not in the form of its binding: what its status says if that says enough, else what was
 * expected and what came.
 */
export function foreignAnswer(incoming: Incoming, request: WireRequest, expected: string): Error {
  const { status, headers, url } = incoming;
  if (REFUSALS.includes(status)) {
    const { operation } = request;
    return recogniseError({ operation, httpStatus: status, ...retryAfterIn(headers) });
  }
  const what = `${shown(url)} gave no A2A answer to ${request.operation}`;
  return invalidResponse(what, { expected, received: describe(incoming) });
}

/** The seconds of a `Retry-After` header, also when it names a date. */
export function retryAfterIn(headers: Headers): { retryAfter?: number } {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return { retryAfter: Number(text) };
  const date = Date.parse(text);
  return Number.isNaN(date) ? {} : { retryAfter: Math.max(0, (date - Date.now()) / 1000) };
}
