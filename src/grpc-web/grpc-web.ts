import type { UniversalClientFn } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-grpc-web";
import { redirected } from "../client/channel.js";
import { discard, type Fetch, isRedirect, redirectTarget } from "../client/exchange.js";
import { grpcFetch } from "../client/transports/grpc/grpc-fetch.js";
import { connectByteLimit, type GrpcWebOptions } from "../client/transports/grpc/grpc-options.js";
import { joinBytes } from "../collections/join-bytes.js";
import { loadService } from "../grpc/service.js";
import type { GrpcService } from "../versions/grpc-service.js";

/**
 * Lets a client call interfaces of gRPC-Web that a card lists. Requests pass the `fetch` of the client. Needs the packages
 * `@connectrpc/connect` and `@bufbuild/protobuf`.
 *
 * @throws Error for a service whose descriptor cannot be read
 * @example
 * ```ts
 * const client = await connect(url, { bindings: ["GRPC"], grpc: { web: grpcWeb } });
 * ```
 */
export async function grpcWeb(service: GrpcService, { fetch, limit }: GrpcWebOptions): Promise<Fetch> {
  const httpClient = clientOver(fetch);
  const connectTo = (baseUrl: string) =>
    createTransport({
      ...{ baseUrl, httpClient, useBinaryFormat: true, interceptors: [] },
      ...{ acceptCompression: [], sendCompression: null, compressMinBytes: 0 },
      ...{ readMaxBytes: connectByteLimit(limit), writeMaxBytes: connectByteLimit(Number.POSITIVE_INFINITY) },
    });
  return grpcFetch(await loadService(service), connectTo, { limit });
}

/**
 * Sends requests of Connect. A message is sent as a whole, because browsers cannot send a body in pieces over HTTP/1.1. Redirects are not
 * followed, because the headers of the call would be sent to their target (§13.4).
 */
function clientOver(fetch: Fetch): UniversalClientFn {
  return async ({ url, method, header, body, signal }) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    // The types of Node and of browsers disagree about the headers and the body of a request.
    const sent = {
      method,
      headers: header,
      body: joinBytes(pieces),
      redirect: "manual",
      ...(signal && { signal }),
    };
    const response = await fetch(url, sent as RequestInit).catch(failConnection);
    if (isRedirect(response)) {
      discard(response);
      const from = new URL(url);
      throw redirected(from, redirectTarget(response, from));
    }
    return {
      status: response.status,
      header: response.headers,
      body: piecesOf(response),
      trailer: new Headers(),
    };
  };
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read().catch(failConnection)) ?? { done: true };
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    // Has an effect only when the answer was not read to its end.
    reader?.cancel().catch(() => undefined);
  }
}

/** Gives a connection error a `code`, as on Node, by which it is recognized. Those of `fetch` in browsers have none. */
function failConnection(cause: unknown): never {
  throw Object.assign(new Error("The connection failed", { cause }), { code: "ERR_CONNECTION" });
}
