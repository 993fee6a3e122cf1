/** Something that goes wrong with one request. */
export interface Fault {
  /** The connection breaks before the request arrives. */
  readonly refuse?: true;
  /** The request arrives, its answer does not. */
  readonly lose?: true;
  /** The answer breaks off behind so many events of a stream, or is cut in half when it is no stream. */
  readonly cutAfter?: number;
  /** Whole events of a stream come twice. */
  readonly duplicate?: true;
  /** What happens before the request is sent: wait for whatever the test likes. */
  readonly delay?: () => Promise<void>;
}

/**
 * A line that does what a test wants of it.
 * @param faultOf is asked before each request, with its number from 0 on; undefined lets it be
 * @returns a `fetch` for a client
 *
 * @example
 * const cutOnce = faulty((number) => (number === 1 ? { cutAfter: 2 } : undefined));
 * const client = await tested.connect({ fetch: cutOnce });
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

/** Passes events on one by one, up to where the line breaks. */
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

/** What `fetch` throws when there is no connection. */
function broken(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("The test has cut the connection") });
}
