import type { TaskPushNotificationConfig } from "../protocol/model.js";
import type { ClientStub } from "../protocol/operations.js";
import type { CallOptions } from "./options.js";

/**
 * The webhooks of one task (§3.1.7 to §3.1.10). Its methods throw the errors of the client's operations.
 *
 * @example
 * ```ts
 * await client.pushConfigs(task.id).create({ url: "https://example.com/hook", token: "secret" });
 * ```
 */
export class PushConfigs {
  readonly #client: ClientStub<CallOptions>;
  readonly #taskId: string;

  constructor(client: ClientStub<CallOptions>, taskId: string) {
    this.#client = client;
    this.#taskId = taskId;
  }

  /** Registers a webhook. An agent of this library replaces the one with the same `id`; other agents may refuse that (§3.1.7). */
  create(
    config: Omit<TaskPushNotificationConfig, "taskId" | "tenant">,
    options?: CallOptions,
  ): Promise<TaskPushNotificationConfig> {
    return this.#client.createTaskPushNotificationConfig({ ...config, taskId: this.#taskId }, options);
  }

  /** Reads a webhook. */
  get(id: string, options?: CallOptions): Promise<TaskPushNotificationConfig> {
    return this.#client.getTaskPushNotificationConfig({ taskId: this.#taskId, id }, options);
  }

  /**
   * Iterates all webhooks of the task, page by page (§3.1.9).
   * @throws ClientError INVALID_RESPONSE when the list does not end: its page tokens repeat, or more than 1000 pages in a row are empty
   */
  async *list(options?: CallOptions): AsyncGenerator<TaskPushNotificationConfig> {
    const { entriesOf } = await import("./pages.js");
    yield* entriesOf(async (pageToken) => {
      const request = { taskId: this.#taskId, ...(pageToken !== "" && { pageToken }) };
      const { configs, nextPageToken } = await this.#client.listTaskPushNotificationConfigs(request, options);
      return { entries: configs, nextPageToken };
    });
  }

  /** Removes a webhook. By the protocol, removing one that the task does not have succeeds (§3.1.10). */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#client.deleteTaskPushNotificationConfig({ taskId: this.#taskId, id }, options);
  }
}
