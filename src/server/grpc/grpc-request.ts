import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import type { ClientCertificate } from "../../auth/incoming-request.js";
import type { AgentServer } from "../agent-server.js";
import { hostOf, type Reached } from "../forwarded.js";
import type { HostRequest } from "../host.js";
import { certificateOf } from "../node/node-request.js";
import { ServerRequest } from "../server-request.js";

/** A gRPC call. Connect has read its message; its metadata are the headers of the HTTP/2 request. */
export class GrpcCall extends ServerRequest {
  readonly method = "POST";
  readonly query = "";
  readonly headers: HostRequest["headers"];
  readonly connection: ServerHttp2Stream;
  message: unknown;
  readonly #req: Http2ServerRequest;

  /** @param message the message as a JSON value */
  constructor(req: Http2ServerRequest, message: unknown, server: AgentServer) {
    super(req.url, server);
    this.headers = req.headers;
    this.connection = req.stream;
    this.message = message;
    this.#req = req;
  }

  /** Names and values alternate in the list. */
  get fieldCount(): number {
    return this.#req.rawHeaders.length / 2;
  }

  get peerAddress(): string | undefined {
    return this.#session?.socket.remoteAddress;
  }

  get certificate(): ClientCertificate | undefined {
    const { socket } = this.#session ?? {};
    return socket && certificateOf(socket as Parameters<typeof certificateOf>[0]);
  }

  get reached(): Reached {
    const { socket } = this.#session ?? {};
    return {
      protocol: this.#session?.encrypted ? "https" : "http",
      host: this.#req.authority,
      local: hostOf(socket?.localAddress ?? "localhost", socket?.localPort ?? 443),
      base: "",
    };
  }

  valuesOf(name: string): readonly string[] {
    const value = this.headers[name];
    if (value === undefined) return [];
    return typeof value === "string" ? [value] : value;
  }

  /** Reads nothing, because the message was read already. */
  readBody(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Undefined once the connection is gone. */
  get #session() {
    const { session } = this.connection;
    return session?.destroyed === false ? session : undefined;
  }
}
