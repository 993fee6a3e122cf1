import { Http2ServerResponse, type OutgoingHttpHeaders } from "node:http2";

const MESSAGE = "grpc-message";

/** The HTTP/2 response that Connect writes. Connect sets headers that were sent already, and encodes more of an error text than gRPC does. */
export class GrpcResponse extends Http2ServerResponse {
  /** Sends the headers unless they have been sent. Connect passes no reason phrase. */
  override writeHead(status: number, headers?: OutgoingHttpHeaders | string): this {
    return this.headersSent ? this : super.writeHead(status, headers as OutgoingHttpHeaders);
  }

  /** Sends trailers. In the text of an error everything except printable ASCII is percent-encoded, and the percent sign itself. */
  override addTrailers(trailers: OutgoingHttpHeaders): void {
    const { [MESSAGE]: text } = trailers;
    if (typeof text === "string") trailers[MESSAGE] = grpcText(decodeURIComponent(text));
    super.addTrailers(trailers);
  }
}

/** Encodes a text for `grpc-message`. Lone surrogates cannot be encoded and are replaced. */
export function grpcText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD").replace(/[^ -~]|%/gu, encodeURIComponent);
}
