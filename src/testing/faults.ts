import { argumentError } from "../protocol/argument.js";

/** The faults of one request. */
export interface Fault {
  /** Rejects as `fetch` does without a connection; the request is not sent. */
  readonly refuse?: true;
  /** The agent receives the request, but the response is lost: rejects as `fetch` does when the connection fails. */
  readonly lose?: true;
  /** Cuts a stream after this many events or comments, a shorter one at its end. A response that is not a stream is cut in half. */
  readonly cutAfter?: number;
  /** Delivers every event of a stream twice. */
  readonly duplicate?: true;
  /** Awaited before the request is sent. */
  readonly delay?: () => Promise<void>;
}

/**
 * Creates a `fetch` with faults that a test chooses.
 * @param faultOf returns the faults of a request, or undefined for none. Requests are numbered from 0
 * @param send sends the requests; the platform's `fetch` by default
 * @returns a `fetch` for a client
 * @throws TypeError for faults that are not a function
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
  if (typeof faultOf !== "function")
    throw argumentError("faulty needs a function from the number of a request to its faults", faultOf);
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
    return new Response(body.pipeThrough(withFaults(fault)), response);
  };
}

/** An empty line, which ends an event. Lines end with LF, CRLF or CR. */
const EMPTY_LINE = /\n\n|\r\n\r\n|\r\r/;

/** Passes on the events of a stream one by one, with its faults. */
function withFaults({
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
      for (let found = EMPTY_LINE.exec(text); found !== null; found = EMPTY_LINE.exec(text)) {
        const end = found.index + found[0].length;
        const event = text.slice(0, end);
        text = text.slice(end);
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

/** The error of `fetch` when the connection fails. */
function broken(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("The test cut the connection") });
}
