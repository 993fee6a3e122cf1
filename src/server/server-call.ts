import type { CallContext, Principal } from "../protocol/call-context.js";
import type { Logger } from "../protocol/logger.js";
import { readTrace, type TraceContext } from "../protocol/trace-context.js";
import type { HostRequest } from "./host.js";
import { type ChosenRequest, lastValue } from "./operation-request.js";

const noExtensions: ReadonlySet<string> = new Set();

/**
 * The call context of a request: the only place where headers are turned into facts (§3.2.6). It is made once the caller is known.
 * Until the handler gets it, the pipeline adds what it finds out.
 */
export class ServerCall implements CallContext {
  readonly principal: Principal;
  readonly headers: HostRequest["headers"];
  readonly logger: Logger;
  /** The tenant of the query, until the request has been decoded. */
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
    this.speakAs(request);
  }

  /** Takes over the version of the request and its conventions. */
  speakAs({ codec, operation, host }: ChosenRequest): void {
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

  /** Asked for only when it is needed: plain calls never are, and a signal costs a listener on the connection. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** A generation as {@link ServerCall.after} takes it. What else a client sends back is no id of ours and says nothing. */
const GENERATION = /^\d{1,15}$/;
