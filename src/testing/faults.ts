/** A fault of one request. */
export interface Fault {
  /** The connection breaks before the request is received. */
  readonly refuse?: true;
  /** The request is received, and its answer is lost. */
  readonly lose?: true;
  /** The answer is cut after this many events of a stream; a plain answer is cut in half. */
  readonly cutAfter?: number;
  /** Every event of a stream is delivered twice. */
  readonly duplicate?: true;
  /** Awaited before the request is sent. */
  readonly delay?: () => Promise<void>;
}

/**
 * A `fetch` with faults that a test chooses.
 * @param faultOf called before each request with its number, counted from 0; undefined for no fault
 * @returns a `fetch` for a client
 *
 * @example
 * ```ts
 * const cutOnce = faulty((number) => (number === 1 ? { cutAfter: 2 } : undefined));
 * const client = await tested.connect({ fetch: cutOnce });
 * ```
 */
export function faulty(
  faultOf: (number: number, request: Request) => Fault | undefined,
  send: typeof fetch = fetch,
): typeof fetch {
  let count = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const fault = faultOf(count++, request) ?? {};
    await fault.delay?.();
    if (fault.refuse) throw broken();
    const response = await send(request);
    if (fault.lose) {
      await response.body?.cancel();
      throw broken();
    }
    const { body } = response;
    if (body === null || (fault.cutAfter === undefined && !fault.duplicate)) return response;
    return new Response(body.pipeThrough(spoiling(fault)), response);
  };
}

/** Passes events on one by one, up to the cut. */
function spoiling({
  cutAfter = Number.POSITIVE_INFINITY,
  duplicate,
}: Fault): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let text = "";
  let events = 0;
  return new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = text.slice(0, end + 2);
        text = text.slice(end + 2);
        if (events >= cutAfter) return controller.error(broken());
        controller.enqueue(encoder.encode(duplicate ? event + event : event));
        events += 1;
      }
      if (events >= cutAfter) controller.error(broken());
    },
    flush(controller) {
      if (cutAfter === Number.POSITIVE_INFINITY) controller.enqueue(encoder.encode(text));
      else {
        controller.enqueue(encoder.encode(text.slice(0, text.length / 2)));
        controller.error(broken());
      }
    },
  });
}

/** The error of `fetch` without a connection. */
function broken(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("The test has cut the connection") });
}
