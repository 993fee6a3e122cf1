import type { TaskPushNotificationConfig } from "../protocol/model.js";
import type { Lease } from "./lease-store.js";
import type { Scope } from "./task-store.js";

/** A push config whose id and task id are both set. */
export type PushConfig = TaskPushNotificationConfig & { readonly id: string; readonly taskId: string };

/**
 * The position of a webhook in the log of its task, after which delivery continues. An event therefore needs no write of its own to be
 * queued.
 */
export interface PushCursor {
  /** Generation after which delivery continues. At first that of the registration: 0 for all events. */
  readonly delivered: number;
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** Time of the next attempt in milliseconds since 1970; 0 for immediately. */
  readonly due: number;
  /**
   * `open` while events are or may be left to send; `done` when there is nothing left to send; `dead` after the webhook was given up.
   */
  readonly state: "open" | "done" | "dead";
}

/** A stored push config. Frozen or owned by the reader. */
export interface PushRecord {
  /** Scope of the caller who registered it. Deliveries act for that caller (§13.1). */
  readonly scope: Scope;
  /** The config, with its secrets. */
  readonly config: PushConfig;
  /** Protocol version in which it was registered. Its notifications have the shape of that version as long as the server serves it. */
  readonly version: string;
  /** What is still to be delivered. */
  readonly cursor: PushCursor;
  /** Position in the order of creation (§3.1.9). Later configs have higher positions; a replaced config keeps its position. */
  readonly place: number;
  /** Changes with every save. A cursor of an earlier revision is no longer valid. */
  readonly revision: number;
}

/** A config to be stored. */
export interface PushRegistration {
  /** The config, with its secrets. */
  readonly config: PushConfig;
  /** Protocol version of the request. */
  readonly version: string;
  /** Generation at which its cursor starts. If the config replaces another one, the position of the replaced one's cursor is kept. */
  readonly delivered: number;
  /** Whether the task has ended. If so, nothing is sent, unless the config replaces an `open` one (§3.1.7). */
  readonly ended: boolean;
  /** Lease on the config for the node that stores it, which then sends its notifications. Has no effect if nothing is to be sent. */
  readonly lease: Lease;
  /** Maximum number of configs of the task, including this one. */
  readonly limit: number;
  /** Maximum number of configs of its owner over all tasks and tenants of the agent, including this one. */
  readonly ownerLimit: number;
}

/**
 * Keeps push configs and their cursors beside the logs of their tasks, with the same durability. A config is deleted with its
 * task. It may be stored before its task.
 *
 * The node that holds the lease on a config sends its notifications, and only this node may advance the cursor. Leases expire, so that
 * other nodes take over the work of one that died.
 */
export interface PushStore {
  /**
   * Stores a config. It replaces the config with the same id on that task, if there is one, whichever node holds it (§3.1.7). Failures
   * are forgotten and, unless the task has ended, a webhook that was given up is open again.
   * @returns the stored config; undefined when it is new and its task or its owner is at its limit. In a store for several processes,
   * concurrent saves may exceed the limit of an owner by a few.
   * @throws StoreFull when the store has no room; StoreError, or the error of the database
   */
  saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined>;

  /** Loads a config; undefined when the task has none with that id in the scope. */
  loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined>;

  /** Lists the configs of a task or, without `taskId`, of all tasks in the scope, in the order of creation. */
  listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]>;

  /**
   * Counts the configs of an owner over all its tasks of an agent, in all tenants.
   * @param most the count at which to stop
   */
  countConfigs(owner: Pick<Scope, "agent" | "owner">, most: number): Promise<number>;

  /** Deletes a config and its cursor. Deleting a config that does not exist succeeds (§3.1.10). */
  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void>;

  /**
   * Claims open configs of an agent, in all scopes, that no node holds or whose lease has expired. The order is roughly that
   * of creation, but owners take turns, so that an owner with many configs hardly delays the others.
   * @returns at most `limit` configs, now held by the lease's node
   */
  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]>;

  /** Extends all leases of a node on configs of an agent: each expires the lease's duration from now. */
  renewConfigs(agent: string, lease: Lease): Promise<void>;

  /** Ends all leases of a node on configs of an agent, so that other nodes can claim these configs. */
  releaseConfigs(agent: string, node: string): Promise<void>;

  /**
   * Moves the cursor of a config. A cursor that is no longer `open` ends the lease. With an unchanged cursor the call only
   * checks that the config still exists and is held.
   * @param node the node that holds the config
   * @returns false, without a change, when the config was deleted or replaced, or the node does not hold it
   */
  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean>;
}

/** Whether a store also implements {@link PushStore}. */
export function keepsConfigs<Store extends object>(store: Store): store is Store & PushStore {
  return "saveConfig" in store && typeof store.saveConfig === "function";
}
