import type { Denial } from "../auth/auth-options.js";
import type { A2AError } from "../protocol/errors.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type { StreamResponse, TaskState } from "../protocol/model.js";
import type { OperationName } from "../protocol/operations.js";
import { readTrace, type TraceContext } from "../protocol/trace-context.js";
import type { Scope } from "../stores/task-store.js";
import type { LogEntry } from "../task-log/log.js";
import type { AuditEvent, DeliveryAttempted } from "./audit-event.js";
import { type Attributes, type Span, spanName, type Telemetry, UNKNOWN_OPERATION } from "./telemetry.js";

/** The consumers of a server's events. None of these functions may throw. */
export interface ObserverParts {
  readonly telemetry?: Telemetry | undefined;
  readonly audit?: ((event: AuditEvent) => void) | undefined;
}

/** A failed request, as far as it was read. */
export interface RefusalEvent {
  readonly request: { readonly headers: Parameters<typeof readTrace>[0] };
  readonly operation?: { readonly name: OperationName } | undefined;
}

/** A task whose log is being written. */
export interface WatchedTask {
  readonly log: { readonly scope: Scope; readonly taskId: string };
  readonly contextId: string;
  /** Its state; undefined before it is created. */
  readonly state: TaskState | undefined;
}

/** Reports the changes of one task. */
export interface TaskWatch {
  /** Reports entries that are now durable; `first` is the generation of the first of them. */
  stored(entries: readonly LogEntry[], first: number): void;
  /** Takes notice of entries that another writer has appended and reported. */
  follow(entries: readonly LogEntry[]): void;
}

/**
 * Reports what a server does to the options `telemetry` (metrics and traces) and `audit`. A server with neither option
 * has no observer, and no cost.
 */
export class Observer {
  readonly #parts: ObserverParts;
  readonly #names = new Map<string, string>();
  /** Errors thrown within a span: the failed request has been reported already. */
  readonly #reported = new WeakSet<object>();

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  /** The destination of metrics and traces, if there is one. */
  get telemetry(): Telemetry | undefined {
    return this.#parts.telemetry;
  }

  /**
   * Gives an agent the name that metrics and spans have: that of its card. Where another agent of the server has the same name, its path
   * tells the two apart.
   */
  name(path: string, name: string): void {
    const isTaken = [...this.#names.values()].includes(name);
    this.#names.set(path, isTaken ? `${name} (${path || "/"})` : name);
  }

  /** The name of the agent at a path; the path if no agent was named there. */
  nameOf(path: string): string {
    return this.#names.get(path) ?? (path || "/");
  }

  /** Records an error that the span of its operation has reported. */
  readonly reported = (thrown: object): void => {
    this.#reported.add(thrown);
  };

  /** A request failed, in its operation or before it. */
  refused(agent: string, error: A2AError, { request, operation }: RefusalEvent): void {
    const { telemetry } = this.#parts;
    if (telemetry === undefined) return;
    const method = operation?.name ?? UNKNOWN_OPERATION;
    const attributes: Attributes = {
      "rpc.method": method,
      "a2a.agent": this.nameOf(agent),
      "error.type": error.code,
    };
    telemetry.count("a2a.server.refusals", attributes);
    if (this.#isReported(error)) return;
    // Refused before the operation began: a request that could not be read, invalid parameters, or an unknown caller.
    const start = { kind: "server", parent: readTrace(request.headers), attributes } as const;
    telemetry.begin(spanName(method), start).end({ code: error.code, message: error.message });
  }

  /** A caller was refused. */
  denied(denial: Denial): void {
    this.#audit({ kind: "denied", ...denial });
  }

  /** A connection was closed because its reader consumed nothing. */
  cut(): void {
    this.#parts.telemetry?.count("a2a.server.stalled", {});
  }

  /** Watches the appends to the log of a task. */
  watch({ log, contextId, state }: WatchedTask): TaskWatch {
    let from = state;
    const agent = this.nameOf(log.scope.agent);
    return {
      stored: (entries, first) => {
        const { scope, taskId } = log;
        for (const [index, { event }] of entries.entries()) {
          const next = stateIn(event);
          this.#parts.telemetry?.count("a2a.server.events", { kind: kindOf(event), "a2a.agent": agent });
          if (next === undefined || next === from) continue;
          if (isTerminal(next))
            this.#parts.telemetry?.count("a2a.tasks", { "a2a.agent": agent, state: next });
          const facts = { scope, taskId, state: next };
          if (from === undefined) this.#audit({ kind: "taskCreated", contextId, ...facts });
          else this.#audit({ kind: "stateChanged", from, generation: first + index, ...facts });
          from = next;
        }
      },
      follow(entries) {
        for (const { event } of entries) from = stateIn(event) ?? from;
      },
    };
  }

  /** Begins the span of an attempt to call a webhook; undefined without telemetry. */
  beginDelivery(scope: Scope, taskId: string, parent: TraceContext | undefined): Span | undefined {
    return this.#parts.telemetry?.begin("a2a.delivery", {
      kind: "client",
      parent,
      attributes: { "a2a.agent": this.nameOf(scope.agent), "a2a.task.id": taskId },
    });
  }

  /** An attempt to call a webhook has ended. */
  delivered(delivery: Omit<DeliveryAttempted, "kind">, span: Span | undefined): void {
    const { outcome, reason, scope } = delivery;
    span?.end(outcome === "delivered" ? undefined : { code: outcome, message: reason });
    this.#parts.telemetry?.count("a2a.server.deliveries", { outcome, "a2a.agent": this.nameOf(scope.agent) });
    this.#audit({ kind: "delivery", ...delivery });
  }

  #isReported(error: A2AError): boolean {
    const { cause } = error;
    return (
      this.#reported.has(error) || (typeof cause === "object" && cause !== null && this.#reported.has(cause))
    );
  }

  #audit(event: AuditEvent): void {
    this.#parts.audit?.(event);
  }
}

/** The state of the task after an event; undefined if the event does not say. */
function stateIn({ task, statusUpdate }: StreamResponse): TaskState | undefined {
  return (task ?? statusUpdate)?.status.state;
}

function kindOf({ task, artifactUpdate }: StreamResponse): string {
  if (task !== undefined) return "task";
  return artifactUpdate === undefined ? "status" : "artifact";
}
