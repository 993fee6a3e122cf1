import type { TaskPushNotificationConfig } from "../protocol/model.js";
import type { Lease } from "./lease-store.js";
import type { Scope } from "./task-store.js";

/** A push config with its place in the world: both ids are known. */
export type PushConfig = TaskPushNotificationConfig & { readonly id: string; readonly taskId: string };

/**
 * How far a webhook has got in the log of its task: the outbox. What is still to be sent is the log behind it, so nothing is
 * written when an event happens, and nothing is lost when a process does not come back.
 */
export interface PushCursor {
  /** Generation of the last event that was delivered or given up; 0 before the first. */
  readonly delivered: number;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Not before this time, in milliseconds since 1970; 0 for at once. */
  readonly due: number;
  /** Whether there is more to come: `done` once the end of the task was delivered, `dead` once the webhook was given up. */
  readonly state: "open" | "done" | "dead";
}

/** A push config as stored. Frozen or owned by the reader. */
export interface PushRecord {
  /** Of the caller who set it up; whoever works on it acts for that caller (AUTHZ-09). */
  readonly scope: Scope;
  readonly config: PushConfig;
  /** Protocol version in which it was set up, and in which its webhook is written to (PUSH-19). */
  readonly version: string;
  readonly cursor: PushCursor;
  /** Place in the order of creation (PAGE-13): grows, and stays when the config is replaced. */
  readonly place: number;
  /** Differs for each save: what is known of an earlier one is void. */
  readonly revision: number;
}

/** A config that is to be stored. */
export interface PushRegistration {
  readonly config: PushConfig;
  readonly version: string;
  /** Where its cursor begins; a config that is replaced keeps its place in the log. */
  readonly delivered: number;
  /** The task has ended: nothing will be sent, unless a config is replaced that still has something to send (OP-PUSH-09). */
  readonly ended: boolean;
  /** Whoever stores it is the first to deliver it. */
  readonly lease: Lease;
  /** How many configs the task may have, this one included. */
  readonly limit: number;
  /** How many configs its owner may have for all its tasks of the agent, in all tenants, this one included. */
  readonly ownerLimit: number;
}

/**
 * Where push configs and their cursors live, beside the logs of their tasks and as durable as these. Configs go with their
 * task. A config may be stored before its task is: then its task has no log yet.
 *
 * Leases keep two processes from delivering the same config: only who holds it may advance its cursor. They end by themselves,
 * so the work of a process that died is taken over.
 */
export interface PushStore {
  /**
   * Stores a config, in place of the one with the same id on that task if there is one (OP-PUSH-05), whoever holds that.
   * @returns the config as stored; undefined when its task or its owner has as many as it may have. A store for several processes may
   * let an owner have a few more when it stores them at the same time.
   */
  saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined>;

  /** One config, or undefined when the task has none by that id in the scope. */
  loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined>;

  /** All configs of a task, or without one of all tasks in the scope, in the order of their creation. */
  listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]>;

  /**
   * How many configs an owner has for all its tasks of an agent, in all tenants.
   * @param most counted
   */
  countConfigs(owner: Pick<Scope, "agent" | "owner">, most: number): Promise<number>;

  /** Removes a config and its cursor for good; removing what is not there is fine (OP-PUSH-18, OP-PUSH-19). */
  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void>;

  /**
   * Takes open configs of an agent, in all its scopes, that no node holds or whose lease has run out. Owners take turns, and of
   * each owner the oldest come first: an owner with many configs delays those of another by no more than a few of its own.
   * @returns those that are now held by the lease's node, at most `limit`
   */
  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]>;

  /** Lets all leases of a node on configs of an agent run for the lease's duration from now on. */
  renewConfigs(agent: string, lease: Lease): Promise<void>;

  /** Ends all leases of a node on configs of an agent. */
  releaseConfigs(agent: string, node: string): Promise<void>;

  /**
   * Moves the cursor of a config, durably. A cursor that is not `open` any more gives up the lease. With the cursor as it is
   * the call only asks whether the config is still there and held.
   * @param node who holds it
   * @returns false, and nothing changed, when the config was removed or replaced since, or another node holds it
   */
  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean>;
}

/** Whether a store keeps push configs too. */
export function keepsConfigs<Store extends object>(store: Store): store is Store & PushStore {
  return "saveConfig" in store && typeof store.saveConfig === "function";
}
