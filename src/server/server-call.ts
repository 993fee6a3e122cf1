import type { CallContext, Principal } from "../protocol/call-context.js";
import type { Logger } from "../protocol/logger.js";
import { readTrace, type TraceContext } from "../protocol/trace-context.js";
import type { HostRequest } from "./host.js";
import { type ChosenRequest, lastValue } from "./operation-request.js";

const noExtensions: ReadonlySet<string> = new Set();

/**
 * The call context of a request (§3.2.6). It is created once the caller is known, and the pipeline completes it before the handler gets
 * it.
 */
export class ServerCall implements CallContext {
  readonly principal: Principal;
  readonly headers: HostRequest["headers"];
  readonly logger: Logger;
  /** The tenant: that of the query until the request is decoded. */
  tenant: string;
  extensions: ReadonlySet<string> = noExtensions;
  metadata: CallContext["metadata"] = undefined;
  version = "";
  clientTaskIds: boolean | undefined;
  tasksOnly: boolean | undefined;
  generations: boolean | undefined;
  streaming = false;
  declare after?: number;
  declare readonly idempotencyKey?: string;
  readonly #request: HostRequest;

  constructor(request: ChosenRequest) {
    const { host, agent, query } = request;
    this.principal = host.principal;
    this.headers = host.headers;
    this.logger = agent.callLogger ?? agent.logger;
    this.tenant = lastValue(query, "tenant") ?? "";
    this.#request = host;
    const key = host.headers["idempotency-key"];
    if (typeof key === "string" && key !== "") this.idempotencyKey = key;
    this.setVersion(request);
  }

  /** Sets the members that depend on the protocol version of the request. */
  setVersion({ codec, operation, host }: ChosenRequest): void {
    this.version = codec.version;
    this.clientTaskIds = codec.conventions.clientTaskIds;
    this.tasksOnly = codec.conventions.tasksOnly;
    this.generations = codec.conventions.generations;
    this.streaming = operation.streaming;
    const lastEventId = host.headers["last-event-id"];
    if (operation.streaming && typeof lastEventId === "string" && GENERATION.test(lastEventId)) {
      this.after = Number(lastEventId);
    }
  }

  get agentUrl(): string {
    return this.#request.agentUrl;
  }

  get trace(): TraceContext | undefined {
    return readTrace(this.headers);
  }

  get bodyLength(): number | undefined {
    return this.#request.bodyLength;
  }

  get address(): string | undefined {
    return this.#request.address;
  }

  /** Created when it is first read, because it costs a listener on the connection and most unary calls never read it. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** A generation in `Last-Event-ID`. Any other value was not sent by this server and is ignored. */
const GENERATION = /^\d{1,15}$/;
