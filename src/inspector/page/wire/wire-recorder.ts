import { signal } from "@preact/signals";
import type { Fetch } from "../../../client/exchange.js";
import type { HeaderField } from "../../api.js";
import type { CallFor } from "../../connection.js";
import { purposeOf } from "./purpose-of.js";
import { CLOSED, isEventStream, type WireExchange } from "./wire-exchange.js";
import { FrameSplitter, MAX_FRAME, type WireFrame } from "./wire-frame.js";

/** Bytes of a body that the recorder keeps. */
const MAX_BODY = 8 * 1024 * 1024;
/** Frames of a stream that it keeps. All of them together have no more characters than one frame may have. */
const MAX_FRAMES = 20_000;
/** Exchanges that it keeps, and the bytes of all bodies of their responses; the oldest leave first. */
const MAX_EXCHANGES = 500;
const MAX_BODIES = 64 * 1024 * 1024;

/** Statuses of responses that have no body. */
const EMPTY = [204, 205, 304];

/** An exchange while it is recorded. */
type Draft = { -readonly [Name in keyof WireExchange]: WireExchange[Name] } & {
  chunks: Uint8Array[];
  frames: WireFrame[];
  /** Characters of its frames. */
  frameText: number;
};

/** Receives what the local server says about a call. */
export type WatchCall = NonNullable<CallFor["watch"]>;

/** Options of a {@link WireRecorder}. */
export interface WireRecorderOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Runs a function soon. Changes are collected until then. */
  readonly later?: (update: () => void) => void;
}

/** Records every exchange of a `fetch`: requests, headers, bodies, and the frames of event streams with their times. */
export class WireRecorder {
  readonly #now: () => number;
  readonly #later: (update: () => void) => void;
  #drafts: Draft[] = [];
  #count = 0;
  #isScheduled = false;

  /** All exchanges, the oldest first. The array is replaced whenever one of them has grown. */
  readonly exchanges = signal<readonly WireExchange[]>([]);

  constructor({ now = Date.now, later = (update) => void setTimeout(update, 50) }: WireRecorderOptions = {}) {
    this.#now = now;
    this.#later = later;
  }

  /**
   * A `fetch` that sends through another one and records.
   * @param route the `fetch` of one call; it may report what it knows of the call besides its response
   * @param onExchange receives the number of each exchange when it begins
   */
  recording(route: (watch: WatchCall) => Fetch, onExchange?: (id: number) => void): Fetch {
    return async (input, init) => {
      const draft = this.#begin(
        new Request(input, init),
        typeof init?.body === "string" ? init.body : undefined,
      );
      onExchange?.(draft.id);
      try {
        const send = route((seen) => this.#watch(draft, seen));
        return this.#received(draft, await send(input, init));
      } catch (error) {
        this.#end(draft, error);
        throw error;
      }
    };
  }

  /** Forgets all exchanges. */
  clear(): void {
    this.#drafts = [];
    this.#changed();
  }

  #begin({ method, url, headers }: Request, body: string | undefined): Draft {
    const draft: Draft = {
      ...{ id: ++this.#count, purpose: purposeOf({ method, url, body }), method, url },
      ...{ requestHeaders: fieldsOf(headers), requestBody: body, startedAt: this.#now() },
      ...{ response: undefined, chunks: [], size: 0, isCut: false, frames: [], frameCount: 0 },
      frameText: 0,
      ...{ endedAt: undefined, failure: undefined, grpc: undefined },
    };
    this.#drafts = [...this.#recent(), draft];
    this.#changed();
    return draft;
  }

  /** The exchanges that are kept when another one begins. */
  #recent(): Draft[] {
    let bytes = 0;
    const tooOld = this.#drafts.findLastIndex(({ size }) => {
      bytes += Math.min(size, MAX_BODY);
      return bytes > MAX_BODIES;
    });
    return this.#drafts.slice(tooOld + 1).slice(1 - MAX_EXCHANGES);
  }

  #watch(draft: Draft, seen: Parameters<WatchCall>[0]): void {
    if (!("type" in seen)) return;
    if (seen.type === "sent") draft.requestHeaders = seen.headers;
    if (seen.type === "status") draft.grpc = seen;
    if (seen.type === "answered") {
      const { status, statusText, headers, time: at, httpVersion, address } = seen;
      draft.response = { status, statusText, headers, at, httpVersion, address };
    }
    this.#changed();
  }

  #received(draft: Draft, response: Response): Response {
    const { status, statusText, headers, body } = response;
    draft.response ??= { status, statusText, headers: fieldsOf(headers), at: this.#since(draft) };
    this.#changed();
    if (body === null || EMPTY.includes(status)) {
      this.#end(draft);
      return response;
    }
    const copy = new Response(this.#recorded(draft, body), { status, statusText, headers });
    // The constructor of a response cannot give it a URL.
    return Object.defineProperty(copy, "url", { value: response.url });
  }

  /** The body of a response, recorded as it is read. */
  #recorded(draft: Draft, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const splitter = isEventStream(draft) ? new FrameSplitter() : undefined;
    const decoder = new TextDecoder();
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            const last = splitter?.end(this.#since(draft));
            if (last !== undefined) keepFrame(draft, last);
            this.#end(draft);
            controller.close();
            return;
          }
          this.#keep(draft, value);
          const frames = splitter?.push(decoder.decode(value, { stream: true }), this.#since(draft));
          for (const frame of frames ?? []) keepFrame(draft, frame);
          controller.enqueue(value);
        } catch (error) {
          this.#end(draft, error);
          controller.error(error);
        }
      },
      cancel: (reason) => {
        this.#end(draft, CLOSED);
        return reader.cancel(reason);
      },
    });
  }

  #keep(draft: Draft, value: Uint8Array): void {
    const left = MAX_BODY - draft.size;
    draft.size += value.length;
    if (left > 0) draft.chunks.push(value.length > left ? value.slice(0, left) : value);
    draft.isCut = draft.size > MAX_BODY;
    this.#changed();
  }

  /** What happens after the end, such as an error of a connection that the page has closed, says nothing new. */
  #end(draft: Draft, failure?: unknown): void {
    if (draft.endedAt !== undefined) return;
    draft.endedAt = this.#since(draft);
    if (failure !== undefined) draft.failure = failure instanceof Error ? failure.message : String(failure);
    this.#changed();
  }

  #since({ startedAt }: Draft): number {
    return this.#now() - startedAt;
  }

  /** Publishes later, and once for many changes: a stream may bring thousands of frames. */
  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#later(() => {
      this.#isScheduled = false;
      this.exchanges.value = [...this.#drafts];
    });
  }
}

/** Keeps a frame, unless the recorder has kept as much of the stream as it may. */
function keepFrame(draft: Draft, frame: WireFrame): void {
  draft.frameCount += 1;
  // A later frame that would fit is left out as well, so that those that are kept have no gap.
  if (draft.frames.length + 1 < draft.frameCount || draft.frames.length >= MAX_FRAMES) return;
  draft.frameText += frame.raw.length;
  if (draft.frameText <= MAX_FRAME) draft.frames.push(frame);
}

function fieldsOf(headers: Headers): readonly HeaderField[] {
  return [...headers] as HeaderField[];
}
