import { runtime } from "#runtime";
import { decodeText, encodeText } from "../json/base64-text.js";
import { isLonger } from "../protocol/byte-length.js";
import { A2AError, invalidParams } from "../protocol/errors.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from "../protocol/model.js";
import type { PushConfig, PushRecord, PushStore } from "../stores/push-store.js";
import { isRefusal } from "../stores/store-error.js";
import type { Scope, TaskSnapshot, TaskStore } from "../stores/task-store.js";
import { checkConfig } from "./check-config.js";
import type { Outbox } from "./outbox.js";
import type { UrlGuard } from "./url-guard/url-guard.js";

/** One page of a list. */
interface Page {
  readonly records: readonly PushRecord[];
  /** Token of the next page; `""` on the last page. */
  readonly nextPageToken: string;
}

/**
 * Returns one page of the configs of a task (§3.1.9). Without a page size the page has all remaining configs. A token contains a
 * position in the order of creation, so deleting a config between two pages shifts nothing. It is valid for one scope and task.
 * @throws A2AError INVALID_PARAMS naming `pageToken` or `pageSize`
 */
function pageOf(
  records: readonly PushRecord[],
  request: ListTaskPushNotificationConfigsRequest,
  scope: Scope,
): Page {
  const { taskId, pageSize = 0, pageToken } = request;
  if (pageSize < 0) throw invalidParams("pageSize", "must be at least 0");
  const after = pageToken ? readToken(pageToken, taskId, scope) : 0;
  const rest = records.filter(({ place }) => place > after);
  const page = pageSize === 0 ? rest : rest.slice(0, pageSize);
  const last = page.at(-1);
  const isEnd = last === undefined || page.length === rest.length;
  return { records: page, nextPageToken: isEnd ? "" : writeToken(last.place, taskId, scope) };
}

function writeToken(place: number, taskId: string, scope: Scope): string {
  return encodeText(`${checksum(place, taskId, scope)} ${place}`);
}

function readToken(token: string, taskId: string, scope: Scope): number {
  const [given, text = ""] = decodeText(token).split(" ");
  const place = Number(text);
  if (Number.isSafeInteger(place) && given === checksum(place, taskId, scope)) return place;
  throw invalidParams("pageToken", "is not a token of this list: use nextPageToken of the previous page");
}

/** A checksum that detects mistakes, not a signature: a forged token can only point into the list of the request. */
function checksum(place: number, taskId: string, { agent, tenant, owner }: Scope): string {
  const bound = JSON.stringify([place, taskId, agent, tenant, owner]);
  return runtime.toBase64Url(runtime.sha256(bound)).slice(0, 16);
}

/** What {@link PushConfigRegistry} works with. */
interface PushConfigRegistryDeps {
  readonly store: TaskStore & PushStore;
  readonly guard: UrlGuard;
  readonly outbox: Outbox;
  /** Maximum number of configs per task. */
  readonly limit: number;
  /** Maximum number of configs per owner, over all tasks and tenants of the agent. */
  readonly ownerLimit: number;
  /** Whether secrets are hidden when configs are read. */
  readonly mask: boolean;
  /** Longest id of a task or config, in bytes. Longer ids are never stored. */
  readonly maxName: number;
}

/** A config in a request, and the task that it is for. */
export interface RequestedConfig {
  readonly scope: Scope;
  readonly taskId: string;
  readonly config: TaskPushNotificationConfig;
  /** Protocol version of the request. */
  readonly version: string;
}

/** Path of the config in a request that sends a message, in the newest released version. */
const INLINE = "configuration.taskPushNotificationConfig.";

/** Shown in place of a secret. */
const MASK = "***";

/**
 * The push configs of an agent's tasks: the four operations (§3.1.7 to §3.1.10) and configs that come with a message. Besides the errors
 * that they name, the methods throw what the store throws.
 */
export class PushConfigRegistry {
  readonly #deps: PushConfigRegistryDeps;

  constructor(deps: PushConfigRegistryDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a config (§3.1.7). Its delivery starts with the next event. If the config replaces another one, it continues the delivery of
   * that one, even if that webhook was given up. After the task has ended, only a delivery that is still open continues.
   * @returns the stored config, with its secrets
   * @throws A2AError TASK_NOT_FOUND; INVALID_PARAMS; RATE_LIMITED when the task or its owner may have no further config; UNAVAILABLE when
   * the store has no room
   */
  async create(
    scope: Scope,
    request: TaskPushNotificationConfig,
    version: string,
  ): Promise<TaskPushNotificationConfig> {
    const taskId = request.taskId ?? "";
    const { task, generation } = await this.#task(scope, taskId);
    await checkConfig(request, this.#deps);
    const requested = { scope, taskId, config: request, version };
    const record = await this.#save(requested, generation, isTerminal(task.status.state));
    this.begin(record);
    return record.config;
  }

  /**
   * Returns a config, with its secrets masked if the options say so.
   * @throws A2AError TASK_NOT_FOUND, also when the task has no such config (§3.1.8)
   */
  async get(
    scope: Scope,
    { taskId, id }: GetTaskPushNotificationConfigRequest,
  ): Promise<TaskPushNotificationConfig> {
    await this.#task(scope, taskId);
    const { store } = this.#deps;
    const isStorable = this.#isStorable(id);
    const record = isStorable ? await store.loadConfig(scope, taskId, id) : undefined;
    if (record) return this.#shown(record);
    throw new A2AError("TASK_NOT_FOUND", "The task has no such push notification config", {
      metadata: { taskId, ...(isStorable && { id }) },
    });
  }

  /**
   * Lists the configs of a task, with their secrets masked if the options say so. An empty task id lists the configs of all tasks of the
   * scope. It stands for a request without a task id, which only callers of `0.1-flat` can send.
   * @throws A2AError TASK_NOT_FOUND; INVALID_PARAMS for a negative page size, or a page token that is not of this list
   */
  async list(
    scope: Scope,
    request: ListTaskPushNotificationConfigsRequest,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    if (request.taskId !== "") await this.#task(scope, request.taskId);
    const all = await this.#deps.store.listConfigs(scope, request.taskId || undefined);
    const { records, nextPageToken } = pageOf(all, request, scope);
    return { configs: records.map((record) => this.#shown(record)), nextPageToken };
  }

  /**
   * Deletes a config. After the promise has resolved, this process sends nothing more for it: waiting events are dropped and the request
   * in flight is aborted (§3.1.10). Another process that delivers for the config may still send the event that it is sending, or that waits
   * for its turn. Deleting a config that does not exist succeeds.
   * @throws A2AError TASK_NOT_FOUND for an unknown task
   */
  async delete(scope: Scope, { taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<null> {
    await this.#task(scope, taskId);
    if (this.#isStorable(id)) await this.#remove(scope, taskId, id);
    return null;
  }

  /**
   * Checks a config that came with a message (§3.2.2) before the message has any effect.
   * @throws A2AError INVALID_PARAMS; RATE_LIMITED when the task or its owner may have no further config
   */
  async check({ scope, taskId, config }: RequestedConfig): Promise<void> {
    await checkConfig(config, this.#deps, INLINE);
    const { store, limit, ownerLimit } = this.#deps;
    const records = await store.listConfigs(scope, taskId);
    if (records.some((record) => matches(record, config))) return;
    if (records.length >= limit || (await store.countConfigs(scope, ownerLimit)) >= ownerLimit) {
      throw this.#full();
    }
  }

  /**
   * Stores a checked config that came with a message. For a new config, delivery starts with the entry after generation `after`, once
   * {@link begin} is called. A config without an id replaces a stored one with equal content.
   * @throws A2AError RATE_LIMITED, or UNAVAILABLE when the store has no room
   */
  async attach(inline: RequestedConfig, after: number): Promise<PushRecord> {
    const records = await this.#deps.store.listConfigs(inline.scope, inline.taskId);
    const id = records.find((record) => matches(record, inline.config))?.config.id;
    const config = id === undefined ? inline.config : { ...inline.config, id };
    return this.#save({ ...inline, config }, after, false);
  }

  /** Starts the delivery of a stored config, unless nothing is left to send or the webhook was given up. */
  begin(record: PushRecord): void {
    if (record.cursor.state === "open") this.#deps.outbox.follow(record);
  }

  /** Deletes a config whose task was not created, unless it was stored again in the meantime or another process holds it. */
  async discard(record: PushRecord): Promise<void> {
    const { scope, config, cursor } = record;
    const { store, outbox } = this.#deps;
    // The cursor stays open: if the deletion fails, a worker of the config deletes it after a while without a task.
    const isOurs = await store.advanceConfig(record, outbox.lease.node, cursor);
    if (isOurs) await this.#remove(scope, config.taskId, config.id);
  }

  async #remove(scope: Scope, taskId: string, id: string): Promise<void> {
    await this.#deps.store.deleteConfig(scope, taskId, id);
    this.#deps.outbox.stop(scope, taskId, id);
  }

  async #save(requested: RequestedConfig, delivered: number, ended: boolean): Promise<PushRecord> {
    const { scope, taskId, version } = requested;
    const { store, outbox, limit, ownerLimit } = this.#deps;
    const { lease } = outbox;
    const config = stored(requested);
    const record = await store
      .saveConfig(scope, { config, version, delivered, ended, lease, limit, ownerLimit })
      .catch((error: unknown) => {
        if (!isRefusal(error)) outbox.claimFailed();
        throw error;
      });
    if (record === undefined) throw this.#full();
    // The worker of the replaced config must not continue beside the new one.
    outbox.stop(scope, taskId, config.id);
    return record;
  }

  #full(): A2AError {
    const { limit, ownerLimit } = this.#deps;
    return new A2AError(
      "RATE_LIMITED",
      `Too many push notification configs: at most ${limit} per task and ${ownerLimit} per caller. Delete one first`,
    );
  }

  #shown({ config }: PushRecord): TaskPushNotificationConfig {
    if (!this.#deps.mask) return config;
    const { token, authentication } = config;
    return {
      ...config,
      ...(token && { token: MASK }),
      ...(authentication?.credentials && { authentication: { ...authentication, credentials: MASK } }),
    };
  }

  async #task(scope: Scope, taskId: string): Promise<TaskSnapshot> {
    if (!this.#isStorable(taskId)) throw new A2AError("TASK_NOT_FOUND");
    const snapshot = await this.#deps.store.load(scope, taskId);
    if (snapshot) return snapshot;
    throw new A2AError("TASK_NOT_FOUND", undefined, { metadata: { taskId } });
  }

  /** Whether the id is short enough to be stored. */
  #isStorable(id: string): boolean {
    return !isLonger(id, this.#deps.maxName);
  }
}

/** The config in its stored form: with both ids and its tenant. */
function stored({ scope, taskId, config }: RequestedConfig): PushConfig {
  const { tenant: _, ...members } = config;
  return {
    ...(scope.tenant !== "" && { tenant: scope.tenant }),
    ...members,
    id: config.id || crypto.randomUUID(),
    taskId,
  };
}

/** Whether a config that came with a message replaces a stored one: by its id or, without an id, by equal content. */
function matches({ config }: PushRecord, given: TaskPushNotificationConfig): boolean {
  if (given.id) return config.id === given.id;
  const contentOf = ({ url, token, authentication }: TaskPushNotificationConfig) =>
    JSON.stringify([url, token ?? "", authentication?.scheme ?? "", authentication?.credentials ?? ""]);
  return contentOf(config) === contentOf(given);
}
