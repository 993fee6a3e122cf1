import type { Operation } from "../../protocol/operations.js";
import type { Codec } from "../../versions/codec.js";

type Headers = Readonly<Record<string, string>>;

/** No headers beyond those of every answer: the common case, in which nothing is copied. */
const none: Headers = Object.freeze({});

/**
 * Headers of an answer that follow from the call, whatever its binding: the extensions that were on, left out when there were
 * none (EXT-06, EXT-07), and a mark against shared caching of a card that was made for the caller (OP-XCARD-09).
 */
export function replyHeaders(
  operation: Operation,
  extensions: ReadonlySet<string>,
  { conventions }: Codec,
): Headers {
  const perCaller = operation.response === "AgentCard";
  if (extensions.size === 0 && !perCaller) return none;
  return {
    ...(perCaller && { "Cache-Control": "private, no-cache", Vary: "Authorization" }),
    ...(extensions.size > 0 && { [conventions.extensionsHeader]: [...extensions].join(", ") }),
  };
}

/** Headers of an answer with those that its call adds. */
export function withHeaders(headers: Headers, more: Headers): Headers {
  return more === none ? headers : { ...headers, ...more };
}
