import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Certificate, TLSSocket } from "node:tls";
import type { ClientCertificate } from "../../auth/incoming-request.js";
import type { AgentServer } from "../agent-server.js";
import { hostOf, type Reached } from "../forwarded.js";
import type { HostRequest } from "../host.js";
import { ServerRequest } from "../server-request.js";
import type { NodeExchange } from "./exchange.js";
import type { BodyReader } from "./read-body.js";

/** A request of Node's HTTP server. */
export class NodeRequest extends ServerRequest {
  readonly method: string;
  readonly query: string;
  readonly headers: HostRequest["headers"];
  readonly #exchange: NodeExchange;
  readonly #reader: BodyReader;

  constructor(exchange: NodeExchange, server: AgentServer, reader: BodyReader) {
    const { req, path = "/", query } = exchange;
    super(path, server);
    this.method = req.method ?? "GET";
    this.query = query;
    this.headers = req.headers;
    this.#exchange = exchange;
    this.#reader = reader;
  }

  get connection(): ServerResponse {
    return this.#exchange.res;
  }

  override get source(): unknown {
    return this.#exchange.source;
  }

  get #req(): IncomingMessage {
    return this.#exchange.req;
  }

  /** The raw headers are a list in which names and values alternate. */
  get fieldCount(): number {
    return this.#req.rawHeaders.length / 2;
  }

  get peerAddress(): string | undefined {
    return this.#req.socket.remoteAddress;
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket);
  }

  get reached(): Reached {
    const { headers, socket } = this.#req;
    return {
      protocol: socket instanceof TLSSocket ? "https" : "http",
      host: headers.host,
      local: hostOf(socket.localAddress ?? "localhost", socket.localPort ?? 80),
      base: this.#exchange.base,
    };
  }

  valuesOf(name: string): readonly string[] {
    return this.#req.headersDistinct[name] ?? [];
  }

  readBody(): Promise<string | undefined> {
    return this.#reader(this.#exchange, this);
  }
}

/** The certificate of the client; undefined if the connection has no TLS or the client sent no certificate. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject, subjectaltname, fingerprint256, serialNumber } = socket.getPeerCertificate();
  // Without a certificate, Node returns an empty object.
  if (fingerprint256 === undefined) return undefined;
  return {
    trusted: socket.authorized,
    subject: attributesOf(subject),
    alternativeNames: namesOf(subjectaltname ?? ""),
    fingerprint: fingerprint256,
    serialNumber,
  };
}

function attributesOf(subject: Certificate): ClientCertificate["subject"] {
  return Object.fromEntries(
    Object.entries(subject).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** An alternative name. Names are separated by commas; one that contains a comma is written as a JSON string. */
const NAME = /([^,:"]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

function namesOf(text: string): string[] {
  return Array.from(text.matchAll(NAME), ([, kind = "", value = ""]) => {
    const plain = value.startsWith('"') ? String(JSON.parse(value)) : value;
    return `${kind.trim()}:${plain}`;
  });
}
