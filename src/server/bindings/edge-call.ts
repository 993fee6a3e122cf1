import type { CallContext, Principal } from "../../protocol/call-context.js";
import type { Logger } from "../../protocol/logger.js";
import { readTrace, type TraceContext } from "../../protocol/trace-context.js";
import type { Conventions } from "../../versions/codec.js";
import type { HttpRequest } from "./http.js";

/** What the edge has decided about a request before its call is made. */
export interface EdgeDecisions {
  readonly tenant: string;
  readonly extensions: ReadonlySet<string>;
  readonly version: string;
  /** Conventions of that version. */
  readonly conventions: Conventions;
  readonly metadata: CallContext["metadata"];
  readonly logger: Logger;
  /** Whether the call opens a stream, which may continue an earlier one. */
  readonly streaming: boolean;
}

/** The call context of a request: the only place where headers are turned into facts (§3.2.6). */
export class EdgeCall implements CallContext {
  readonly tenant: string;
  readonly principal: Principal;
  readonly headers: HttpRequest["headers"];
  readonly extensions: ReadonlySet<string>;
  readonly version: string;
  readonly clientTaskIds: boolean | undefined;
  readonly tasksOnly: boolean | undefined;
  readonly streaming: boolean;
  readonly metadata: CallContext["metadata"];
  readonly logger: Logger;
  declare readonly after?: number;
  declare readonly idempotencyKey?: string;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, decisions: EdgeDecisions) {
    this.tenant = decisions.tenant;
    this.principal = request.principal;
    this.headers = request.headers;
    this.extensions = decisions.extensions;
    this.version = decisions.version;
    this.clientTaskIds = decisions.conventions.clientTaskIds;
    this.tasksOnly = decisions.conventions.tasksOnly;
    this.streaming = decisions.streaming;
    this.metadata = decisions.metadata;
    this.logger = decisions.logger;
    this.#request = request;
    const lastEventId = request.headers["last-event-id"];
    if (decisions.streaming && typeof lastEventId === "string" && GENERATION.test(lastEventId)) {
      this.after = Number(lastEventId);
    }
    const key = request.headers["idempotency-key"];
    if (typeof key === "string" && key !== "") this.idempotencyKey = key;
  }

  get agentUrl(): string {
    return this.#request.agentUrl;
  }

  get trace(): TraceContext | undefined {
    return readTrace(this.headers);
  }

  get address(): string | undefined {
    return this.#request.address;
  }

  /** Asked for only when it is needed: plain calls never are, and a signal costs a listener on the connection. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** A generation as {@link EdgeCall.after} takes it. What else a client sends back is no id of ours and says nothing. */
const GENERATION = /^\d{1,15}$/;
