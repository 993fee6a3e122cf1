/** A position in a distributed trace: the two headers of W3C Trace Context. */
export interface TraceContext {
  /** Version, trace id, id of the parent span, and flags. */
  readonly traceparent: string;
  /** Data of tracing systems, as a list. */
  readonly tracestate?: string;
}

/** Version, trace id, parent id, flags. Later versions may append more. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-[\x21-\x7e]*)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
/** Maximum number of characters of `traceparent`. */
const MAX_LENGTH = 256;

/**
 * The trace context of a request; undefined when `traceparent` is absent or malformed. A `tracestate` that is malformed or has more than
 * 512 characters is left out.
 */
export function readTrace(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string" || traceparent.length > MAX_LENGTH || !TRACEPARENT.test(traceparent)) {
    return undefined;
  }
  // Repeated header fields form one list.
  const state = String(tracestate ?? "");
  return TRACESTATE.test(state) ? { traceparent, tracestate: state } : { traceparent };
}
