import type { UnderlyingSource } from "node:stream/web";
import type {
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  DescService,
  Message,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { FIRST_EVENT_ID, messageJson, messageOf } from "../../../grpc/service.js";
import { receivedStatus } from "../../../grpc/status.js";
import { writeJson } from "../../../json/json-text.js";
import { readJson } from "../../../json/read-json.js";
import { ClientError, displayUrl, invalidResponse, tooLarge } from "../../client-error.js";
import type { Fetch } from "../../exchange.js";
import type { GrpcConnectionOptions } from "./grpc-options.js";

/**
 * Milliseconds between the comments that this client adds to a stream, because a stream of gRPC has none: without them, a stream without
 * events would exceed the limit `idle`. Over HTTP/2, the client detects broken connections by PINGs.
 */
const COMMENT_MS = 15_000;
/** Headers of a request with JSON. They do not apply to the gRPC call. */
const JSON_HEADERS = ["accept", "content-type", "content-length"];

const encoder = new TextEncoder();

/** The last two segments of a path: the service, and the method. */
const METHOD = /\/[^/]+\/[^/]+$/;

/** Creates the transport that sends calls to the service below a URL. */
type ConnectTo = (base: string) => Transport;

/**
 * Creates a `fetch` that calls an agent over gRPC. A request names the path of a method and contains the message as ProtoJSON; the response
 * is that of the HTTP+JSON binding, with an event stream for a stream. The client can therefore use the same code for it as for the other
 * bindings.
 * @returns a function that rejects with TypeError if the connection fails, or the service has no such method; with ClientError
 * INVALID_REQUEST, INVALID_RESPONSE, RESPONSE_TOO_LARGE or, over gRPC-Web, REDIRECTED; with the reason of the request's signal
 */
export function grpcFetch(
  service: DescService,
  connectTo: ConnectTo,
  options: Omit<GrpcConnectionOptions, "tls">,
): Fetch {
  const methods = new Map(service.methods.map((method) => [`/${service.typeName}/${method.name}`, method]));
  let connection: { readonly base: string; readonly transport: Transport } | undefined;
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const [path = ""] = METHOD.exec(url.pathname) ?? [];
    const base = url.origin + url.pathname.slice(0, url.pathname.length - path.length);
    if (connection?.base !== base) connection = { base, transport: connectTo(base) };
    const method = methods.get(path);
    if (method === undefined) throw new TypeError(`The service has no method at ${url.pathname}`);
    const headers = new Headers(init.headers);
    for (const name of JSON_HEADERS) headers.delete(name);
    const message = messageIn(method, String(init.body), options);
    const leaving = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, leaving.signal]) : leaving.signal;
    const { transport } = connection;
    const call = { method, url, headers, message, signal, leaving, transport, limit: options.limit };
    try {
      return method.methodKind === "unary" ? await answerOf(call) : await streamOf(call);
    } catch (error) {
      init.signal?.throwIfAborted();
      leaving.abort();
      return failureOf(error, call);
    }
  };
}

/** @throws ClientError INVALID_REQUEST for a body that is not JSON or does not fit the message */
function messageIn(
  { input }: DescMethod,
  body: string,
  { isStrict }: Pick<GrpcConnectionOptions, "isStrict">,
): Message {
  try {
    return messageOf(input, readJson(body), isStrict);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("INVALID_REQUEST", `The request cannot be sent over gRPC: ${reason}`, { cause });
  }
}

interface Call {
  readonly method: DescMethod;
  readonly url: URL;
  readonly headers: Headers;
  readonly message: Message;
  /** Ends the call. Aborts with the signal of the caller, or through {@link Call.leaving}. */
  readonly signal: AbortSignal;
  /** Ends the call from this side, for example when its answer is refused. */
  readonly leaving: AbortController;
  readonly transport: Transport;
  /** Maximum bytes of one received message. */
  readonly limit: number;
}

/**
 * A message from the agent as JSON.
 * @throws ClientError INVALID_RESPONSE for a message that JSON cannot represent
 */
function jsonText({ method, url }: Call, message: Message): string {
  try {
    return writeJson(messageJson(method.output, message));
  } catch (cause) {
    const what = `${displayUrl(url)} sent no valid response to ${method.name}`;
    throw invalidResponse(what, {
      expected: "a message that JSON can represent",
      received: "one that it cannot, for example with NaN",
      cause,
    });
  }
}

async function answerOf(call: Call): Promise<Response> {
  const { method, headers, message, signal, transport } = call;
  const unary = method as DescMethodUnary;
  const {
    message: answer,
    header,
    trailer,
  } = await transport.unary(unary, signal, undefined, headers, message);
  return new Response(jsonText(call, answer), { headers: metadataOf(header, trailer) });
}

/** Waits for the first event, so that the response to a call that fails before it is an error and not a stream (§3.1.2). */
async function streamOf(call: Call): Promise<Response> {
  const { method, headers, message, signal, transport } = call;
  const streaming = method as DescMethodStreaming;
  const { message: messages, header } = await transport.stream(
    streaming,
    signal,
    undefined,
    headers,
    only(message),
  );
  const events = messages[Symbol.asyncIterator]();
  const first = await events.next();
  const body = new ReadableStream(new EventText(call, { events, first, id: firstIdIn(header) }), {
    highWaterMark: 0,
  });
  const metadata = metadataOf(header);
  metadata.set("content-type", "text/event-stream");
  return new Response(body, { headers: metadata });
}

async function* only(message: Message): AsyncGenerator<Message> {
  yield message;
}

function firstIdIn(header: Headers): number | undefined {
  const text = header.get(FIRST_EVENT_ID) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

interface Opened {
  readonly events: AsyncIterator<Message>;
  readonly first: IteratorResult<Message>;
  /** Generation of the first event; undefined if the agent does not number events. */
  readonly id: number | undefined;
}

/** The messages of a stream as the text of an event stream. The next message is read when the reader asks for more. */
class EventText implements UnderlyingSource<Uint8Array> {
  readonly #call: Call;
  readonly #events: AsyncIterator<Message>;
  #first: IteratorResult<Message> | undefined;
  #id: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(call: Call, { events, first, id }: Opened) {
    this.#call = call;
    this.#events = events;
    this.#first = first;
    this.#id = id;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#timer = setInterval(() => {
      if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(": keep-alive\n\n"));
    }, COMMENT_MS);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const { done, value } = this.#first ?? (await this.#events.next());
      this.#first = undefined;
      if (done) {
        clearInterval(this.#timer);
        controller.close();
      } else controller.enqueue(encoder.encode(this.#frame(value)));
    } catch (error) {
      clearInterval(this.#timer);
      const { url, limit, leaving, method } = this.#call;
      const failure = receivedStatus(error, method.name);
      leaving.abort();
      if (failure === undefined || failure.isTransient) controller.error(error);
      else if (failure.isTooLarge) controller.error(tooLarge(url, "an event", `${limit} bytes`));
      else {
        controller.enqueue(encoder.encode(`data: ${writeJson(failure.body)}\n\n`));
        controller.close();
      }
    }
  }

  cancel(): void {
    clearInterval(this.#timer);
    this.#call.leaving.abort();
  }

  #frame(message: Message): string {
    const id = this.#id === undefined ? "" : `id: ${this.#id++}\n`;
    return `${id}data: ${jsonText(this.#call, message)}\n\n`;
  }
}

/** The metadata of a response as headers, with the content type of JSON. */
function metadataOf(...parts: readonly Headers[]): Headers {
  const all = new Headers();
  for (const part of parts) for (const [name, value] of part) all.set(name, value);
  all.set("content-type", "application/json");
  return all;
}

/**
 * The response for a failed call.
 * @throws TypeError if the connection failed, as `fetch` does; ClientError RESPONSE_TOO_LARGE, or the one that the call failed with
 */
function failureOf(error: unknown, { url, limit, method }: Call): Response {
  const cause = causeOf(error);
  if (cause instanceof ClientError) throw cause;
  const failure = receivedStatus(error, method.name);
  if (failure === undefined) throw new TypeError("The call failed", { cause });
  if (failure.isTooLarge) throw tooLarge(url, "an answer", `${limit} bytes`);
  const { status, body, retryAfter } = failure;
  const headers = metadataOf((error as ConnectError).metadata);
  if (retryAfter !== undefined) headers.set("retry-after", String(Math.ceil(retryAfter)));
  return new Response(writeJson(body), { status, headers });
}

/** The error that an error of Connect wraps, such as one of Node; else the error itself. */
function causeOf(error: unknown): unknown {
  return error instanceof ConnectError ? (error.cause ?? error) : error;
}
