import type { DescService } from "@bufbuild/protobuf";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { grpcFetch } from "../client/transports/grpc/grpc-fetch.js";
import type { GrpcConnectionOptions } from "../client/transports/grpc/grpc-options.js";
import { Http2Sessions } from "../client/transports/grpc/http2-sessions.js";
import { nodeTransport } from "../client/transports/grpc/node-transport.js";
import { loadService } from "../grpc/service.js";
import { receivedDetails, statusName } from "../grpc/status.js";
import type { ConnectionParameters } from "../push/url-guard/exchange.js";
import { callableVersions, loadCallCodec } from "../versions/client-codecs.js";
import type { HeaderField } from "./api.js";
import { type Elapsed, type PageCall, passOn } from "./call.js";

/** Makes a call over gRPC and tells the page what comes of it, with the status and the metadata around its messages. */
export async function grpcExchange(call: PageCall, clock: Elapsed, answered: () => void): Promise<void> {
  const { head, body, maxBytes, signal, page, guard } = call;
  const { id } = head;
  const connection = guard.connectionTo(head);
  const { url } = connection;
  const service = await serviceAt(url);
  const sessions = sessionsTo(connection);
  try {
    const send = fetchOver(sessions, service, { limit: maxBytes, interceptors: [observer(call, clock)] });
    const text = new TextDecoder().decode(body);
    const headers = head.headers.map(([name, value]): [string, string] => [name, value]);
    const response = await send(url, { method: "POST", headers, body: text, signal });
    answered();
    page.send({
      ...{ type: "answered", id, time: clock(), status: response.status, statusText: "", httpVersion: "2" },
      headers: [...response.headers],
    });
    const bytes = await passOn(response.body ?? [], { id, maxBytes, page, clock });
    page.send({ type: "ended", id, time: clock(), bytes });
  } finally {
    sessions.abort();
  }
}

/** Options of {@link fetchOver}. */
interface FetchOptions extends Omit<GrpcConnectionOptions, "tls"> {
  /** Interceptors of Connect for every call. */
  readonly interceptors?: Interceptor[];
}

/** Makes a `fetch` that sends the calls to a service over a connection. */
export function fetchOver(
  sessions: Http2Sessions,
  service: DescService,
  options: FetchOptions,
): typeof fetch {
  const parameters = { ...options, tls: undefined, sessions };
  return grpcFetch(service, (base) => nodeTransport(base, parameters), options);
}

/** A connection of its own, to an address that was checked. */
export function sessionsTo({ url, lookup, ca, certificate }: ConnectionParameters): Http2Sessions {
  return new Http2Sessions(url.origin, {}, {
    lookup,
    ...(ca !== undefined && { ca }),
    ...certificate,
  } as object);
}

/**
 * The service that the path of a URL names: that of one of the versions of the protocol.
 * @throws TypeError if it names no such service
 */
export async function serviceAt({ pathname }: URL): Promise<DescService> {
  const [, name] = pathname.split("/");
  for (const version of callableVersions) {
    const codec = await loadCallCodec(version);
    const { grpc } = (await codec.forBinding?.("GRPC")) ?? codec;
    if (grpc !== undefined && grpc.service === name) return loadService(grpc);
  }
  throw new TypeError(`A2A has no gRPC service ${name}`);
}

/** Tells the page the metadata of a request, and how its call has ended. */
function observer({ head: { id, method, url }, body, page }: PageCall, clock: Elapsed): Interceptor {
  const ended = (metadata: Headers, trailers: Headers, error?: ConnectError) =>
    page.send({
      ...{ type: "status", id, time: clock(), code: error?.code ?? 0 },
      name: error === undefined ? "OK" : statusName(error.code),
      message: error?.rawMessage ?? "",
      metadata: fieldsOf(metadata),
      trailers: fieldsOf(trailers),
      details: error === undefined ? [] : receivedDetails(error),
    });
  return (next) => async (request) => {
    const at = new Date().toISOString();
    page.send({ type: "sent", id, at, method, url, headers: fieldsOf(request.header), bytes: body.length });
    try {
      const answer = await next(request);
      const { header, trailer } = answer;
      if (answer.stream) {
        const message = observed(answer.message, (error) => ended(header, trailer, error));
        return { ...answer, message };
      }
      ended(header, trailer);
      return answer;
    } catch (error) {
      // What came at first and what came last is one here.
      if (error instanceof ConnectError) ended(new Headers(), error.metadata, error);
      throw error;
    }
  };
}

async function* observed<Message>(
  messages: AsyncIterable<Message>,
  ended: (error?: ConnectError) => void,
): AsyncGenerator<Message> {
  try {
    yield* messages;
  } catch (error) {
    if (error instanceof ConnectError) ended(error);
    throw error;
  }
  ended();
}

function fieldsOf(headers: Headers): HeaderField[] {
  return [...headers];
}
