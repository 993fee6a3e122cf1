import type { Denial } from "../auth/auth-options.js";
import type { TaskState } from "../protocol/model.js";
import type { Scope } from "../stores/task-store.js";

/** The task of an event. */
interface TaskFacts {
  /** Agent, tenant and owner of the task. */
  readonly scope: Scope;
  readonly taskId: string;
}

/** A task was created. */
export interface TaskCreated extends TaskFacts {
  readonly kind: "taskCreated";
  readonly contextId: string;
  readonly state: TaskState;
}

/** The state of a task changed. */
export interface StateChanged extends TaskFacts {
  readonly kind: "stateChanged";
  readonly from: TaskState;
  readonly state: TaskState;
  /** Generation of the change in the log of the task. */
  readonly generation: number;
}

/** A caller was refused. */
export interface AccessDenied extends Denial {
  readonly kind: "denied";
}

/** An attempt to call a webhook has ended. */
export interface DeliveryAttempted extends TaskFacts {
  readonly kind: "delivery";
  readonly configId: string;
  /** Generation of the event in the log of the task. */
  readonly generation: number;
  /** Delivered, failed for now, or refused by the webhook for good. */
  readonly outcome: "delivered" | "retry" | "refused";
  /** What the attempt met, as text for operators: a status, or why there was no response. */
  readonly reason: string;
}

/**
 * An event for the audit log (§13.4). It contains no message content, no credentials, and no webhook URL, which may be
 * a secret.
 */
export type AuditEvent = TaskCreated | StateChanged | AccessDenied | DeliveryAttempted;
