import type { ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig } from "../model.js";
import type { ClientStub } from "../operations.js";
import type { CallOptions } from "./options.js";

/** The webhooks of one task (§3.1.7 to §3.1.10). Errors are those of the client's operations. */
export class PushConfigs {
  readonly #client: ClientStub<CallOptions>;
  readonly #taskId: string;

  constructor(client: ClientStub<CallOptions>, taskId: string) {
    this.#client = client;
    this.#taskId = taskId;
  }

  /** Registers a webhook, or replaces the one with the same `id`. */
  create(
    config: Omit<TaskPushNotificationConfig, "taskId" | "tenant">,
    options?: CallOptions,
  ): Promise<TaskPushNotificationConfig> {
    return this.#client.createTaskPushNotificationConfig({ ...config, taskId: this.#taskId }, options);
  }

  get(id: string, options?: CallOptions): Promise<TaskPushNotificationConfig> {
    return this.#client.getTaskPushNotificationConfig({ taskId: this.#taskId, id }, options);
  }

  /** All webhooks of the task, page by page until there are no more (PAGE-06). */
  async *list(options?: CallOptions): AsyncGenerator<TaskPushNotificationConfig> {
    const request: ListTaskPushNotificationConfigsRequest = { taskId: this.#taskId };
    let pageToken = "";
    do {
      const page = await this.#client.listTaskPushNotificationConfigs(
        { ...request, ...(pageToken !== "" && { pageToken }) },
        options,
      );
      yield* page.configs ?? [];
      pageToken = page.nextPageToken ?? "";
    } while (pageToken !== "");
  }

  /** Removes a webhook; one that is not there is no error. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#client.deleteTaskPushNotificationConfig({ taskId: this.#taskId, id }, options);
  }
}
