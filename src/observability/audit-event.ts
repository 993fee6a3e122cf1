import type { Denial } from "../auth/auth-options.js";
import type { TaskState } from "../protocol/model.js";
import type { Scope } from "../stores/task-store.js";

/** A task that something has happened to. */
interface TaskFacts {
  /** Agent, tenant and owner of the task. */
  readonly scope: Scope;
  readonly taskId: string;
}

/** A task was made. */
export interface TaskCreated extends TaskFacts {
  readonly kind: "taskCreated";
  readonly contextId: string;
  readonly state: TaskState;
}

/** A task has got another state. */
export interface StateChanged extends TaskFacts {
  readonly kind: "stateChanged";
  readonly from: TaskState;
  readonly state: TaskState;
  /** Place of the change in the log of the task. */
  readonly generation: number;
}

/** A caller was turned away. */
export interface AccessDenied extends Denial {
  readonly kind: "denied";
}

/** A webhook was called. */
export interface DeliveryAttempted extends TaskFacts {
  readonly kind: "delivery";
  readonly configId: string;
  /** Place of the event in the log of the task. */
  readonly generation: number;
  /** It has arrived, will be tried again, or was refused by the webhook for good. */
  readonly outcome: "delivered" | "retry" | "refused";
  /** In words for an operator. */
  readonly reason: string;
}

/**
 * Something that an audit wants to know (§13.4). It holds no content of messages, no credentials, and no URL of a webhook,
 * which may be a secret.
 */
export type AuditEvent = TaskCreated | StateChanged | AccessDenied | DeliveryAttempted;
