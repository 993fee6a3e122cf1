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
 * A request to an agent server, without a framework. Each host extends it by what only its runtime knows: where the method, the
 * headers, the body and the connection come from.
 */
export abstract class ServerRequest implements HostRequest {
  abstract readonly method: string;
  abstract readonly query: string;
  abstract readonly headers: HostRequest["headers"];
  /** How many header fields there are. */
  abstract readonly fieldCount: number;
  /** Path on the server. Once the router knows the endpoint, it is the path below that. */
  path: string;
  /** Filled in once it was read. */
  body: string | undefined = undefined;
  bodyLength: number | undefined = undefined;
  principal: Principal = anonymous;
  operation: OperationName | undefined = undefined;
  refusal: ErrorCode | undefined = undefined;
  /** The agent that the request is for. Until the router knows it, it is the main one. */
  mount: Mount;
  readonly #server: AgentServer;
  #controller: AbortController | undefined;
  #answer: OutgoingAnswer | undefined;

  constructor(path: string, server: AgentServer) {
    this.path = path;
    this.mount = server.main;
    this.#server = server;
  }

  /** The connection that the answer leaves on. */
  abstract get connection(): AnswerConnection;

  /** IP address at the other end of the connection: a proxy's where there is one. */
  abstract get peerAddress(): string | undefined;

  /** The request as the framework has it that the agents are mounted in; undefined without one. */
  get source(): unknown {
    return undefined;
  }

  abstract get certificate(): ClientCertificate | undefined;

  /** Where the request itself says that it has reached the server. */
  abstract get reached(): Reached;

  /**
   * Reads the body as text, within limits while it arrives.
   * @returns undefined when there is none, or one that is not JSON
   * @throws A2AError REQUEST_TOO_LARGE, RATE_LIMITED, UNAVAILABLE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or INVALID_REQUEST
   */
  abstract readBody(): Promise<string | undefined>;

  get address(): string | undefined {
    return callerAddress(this.headers, this.peerAddress, this.#server.settings.trustProxy);
  }

  /** Path of the agent on the server. */
  get agent(): string {
    return this.mount.prefix;
  }

  /** URL under which the caller reaches the server, without a slash at its end. */
  get serverUrl(): string {
    const { address, settings } = this.#server;
    return address ?? urlOfRequest(this.headers, this.reached, settings.trustProxy);
  }

  get agentUrl(): string {
    return this.mount.urlAt(this.serverUrl);
  }

  /** Made when first asked for: a signal costs a listener on the connection, and plain calls need none. */
  get signal(): AbortSignal {
    this.#controller ??= abortWhenCutOff(this.connection);
    return this.#controller.signal;
  }

  /** The answer to the request. */
  get room(): OutgoingAnswer {
    this.#answer ??= new OutgoingAnswer(this.#server.outgoing, this, this.connection);
    return this.#answer;
  }

  whileSilent(due: () => void): () => void {
    return this.#server.silentStreams.add(this.connection, due);
  }

  /** Ends what the caller was waiting for although the connection stands. */
  abort(): void {
    this.#controller?.abort();
  }
}

/** Aborts when the connection goes away before the answer is complete. */
function abortWhenCutOff(connection: AnswerConnection): AbortController {
  const controller = new AbortController();
  const closed = () => {
    if (!connection.writableFinished) controller.abort();
  };
  if (connection.closed) closed();
  else connection.once("close", closed);
  return controller;
}
