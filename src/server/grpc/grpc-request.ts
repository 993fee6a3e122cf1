import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { ClientCertificate } from "../../auth/incoming-request.js";
import type { AgentServer } from "../agent-server.js";
import { hostOf, type Reached } from "../forwarded.js";
import type { HostRequest } from "../host.js";
import { certificateOf } from "../node/node-request.js";
import { ServerRequest } from "../server-request.js";
import { authorityOf, type GrpcExchange } from "./grpc-exchange.js";

/** A gRPC call. Connect has read its message; its metadata are the headers of the HTTP request. */
export class GrpcCall extends ServerRequest {
  readonly method: string;
  readonly query = "";
  readonly headers: HostRequest["headers"];
  message: unknown;
  readonly #exchange: GrpcExchange;

  /**
   * @param path path of the method: `/`, the service, `/` and the method
   * @param message the message as a JSON value
   */
  constructor(exchange: GrpcExchange, path: string, message: unknown, server: AgentServer) {
    super(path, server);
    const { req } = exchange;
    this.method = req.method ?? "POST";
    this.headers = req.headers;
    this.message = message;
    this.#exchange = exchange;
  }

  get connection(): ServerHttp2Stream | ServerResponse {
    return this.#exchange.connection;
  }

  /** Names and values alternate in the list. */
  get fieldCount(): number {
    return this.#exchange.req.rawHeaders.length / 2;
  }

  get peerAddress(): string | undefined {
    return this.#exchange.socket?.remoteAddress;
  }

  get certificate(): ClientCertificate | undefined {
    const { socket } = this.#exchange;
    return socket && certificateOf(socket);
  }

  get reached(): Reached {
    const { socket, isEncrypted, req } = this.#exchange;
    return {
      protocol: isEncrypted ? "https" : "http",
      host: authorityOf(req),
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
}
