import { Http2ServerResponse, type OutgoingHttpHeaders } from "node:http2";

const MESSAGE = "grpc-message";

/** A response of HTTP/2 for the library for gRPC, which writes headers late and texts of errors in an encoding that clients do not expect. */
export class GrpcResponse extends Http2ServerResponse {
  /** Sends the headers, unless they have been sent. The library gives no text with the status. */
  override writeHead(status: number, headers?: OutgoingHttpHeaders | string): this {
    return this.headersSent ? this : super.writeHead(status, headers as OutgoingHttpHeaders);
  }

  /** Sends trailers, the text of an error percent-encoded as gRPC has it: all but printable ASCII, and the percent sign. */
  override addTrailers(trailers: OutgoingHttpHeaders): void {
    const { [MESSAGE]: text } = trailers;
    if (typeof text === "string") trailers[MESSAGE] = grpcText(decodeURIComponent(text));
    super.addTrailers(trailers);
  }
}

/** A text as `grpc-message` has it. Lone halves of surrogate pairs cannot be encoded and are replaced. */
export function grpcText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD").replace(/[^ -~]|%/gu, encodeURIComponent);
}
