import type { ClientCertificate } from "../auth/incoming-request.js";
import { anonymous, type Principal } from "../protocol/call-context.js";
import type { ErrorCode } from "../protocol/errors.js";
import type { OperationName } from "../protocol/operations.js";
import type { AgentServer } from "./agent-server.js";
import { callerAddress, type Reached, urlOfRequest } from "./forwarded.js";
import type { AnswerConnection, HostRequest } from "./host.js";
import type { Mount } from "./mount.js";
import { OutgoingAnswer } from "./outgoing/outgoing-answer.js";

/**
 * A request to an agent server, independent of the framework. Each host extends it with the members that depend on its runtime.
 */
export abstract class ServerRequest implements HostRequest {
  abstract readonly method: string;
  abstract readonly query: string;
  abstract readonly headers: HostRequest["headers"];
  /** Number of header fields. */
  abstract readonly fieldCount: number;
  /** Path on the server. The router replaces it by the path below the endpoint. */
  path: string;
  /** Set by the router after {@link readBody}. */
  body: string | undefined = undefined;
  bodyLength: number | undefined = undefined;
  principal: Principal = anonymous;
  operation: OperationName | undefined = undefined;
  refusal: ErrorCode | undefined = undefined;
  /** The agent that the request is for; the main agent until the router has found it. */
  mount: Mount;
  readonly #server: AgentServer;
  #controller: AbortController | undefined;
  #answer: OutgoingAnswer | undefined;

  constructor(path: string, server: AgentServer) {
    this.path = path;
    this.mount = server.main;
    this.#server = server;
  }

  /** The connection of the response. */
  abstract get connection(): AnswerConnection;

  /** IP address at the other end of the connection, which may be that of a proxy. */
  abstract get peerAddress(): string | undefined;

  /** The request object of the framework; undefined without a framework. */
  get source(): unknown {
    return undefined;
  }

  abstract get certificate(): ClientCertificate | undefined;

  /** The URL at which the request arrived, in parts. */
  abstract get reached(): Reached;

  /**
   * Reads the body as text, and enforces the limits while it arrives.
   * @returns undefined if there is no body, if it is not JSON, or if the method is not POST
   * @throws A2AError REQUEST_TOO_LARGE, RATE_LIMITED, UNAVAILABLE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or INVALID_REQUEST;
   *   INTERNAL_ERROR when other code has read it and left no result
   */
  abstract readBody(): Promise<string | undefined>;

  get address(): string | undefined {
    return callerAddress(this.headers, this.peerAddress, this.#server.settings.trustProxy);
  }

  /** Path of the agent on the server. */
  get agent(): string {
    return this.mount.prefix;
  }

  /** URL at which the caller reaches the server, without a trailing slash. */
  get serverUrl(): string {
    const { address, settings } = this.#server;
    return address ?? urlOfRequest(this.headers, this.reached, settings.trustProxy);
  }

  get agentUrl(): string {
    return this.mount.urlAt(this.serverUrl);
  }

  /** Created on first use: a signal needs a listener on the connection, and plain calls need no signal. */
  get signal(): AbortSignal {
    this.#controller ??= abortWhenCutOff(this.connection);
    return this.#controller.signal;
  }

  /** The response to the request, with its unsent bytes. */
  get room(): OutgoingAnswer {
    this.#answer ??= new OutgoingAnswer(this.#server.outgoing, this, this.connection);
    return this.#answer;
  }

  whileSilent(due: () => void): () => void {
    return this.#server.silentStreams.add(this.connection, due);
  }

  /** Aborts the signal although the connection is open. */
  abort(): void {
    this.#controller?.abort();
  }
}

/** A controller that is aborted when the connection closes before the response is complete. */
function abortWhenCutOff(connection: AnswerConnection): AbortController {
  const controller = new AbortController();
  const closed = () => {
    if (!connection.writableFinished) controller.abort();
  };
  if (connection.closed) closed();
  else connection.once("close", closed);
  return controller;
}
