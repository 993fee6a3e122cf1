import type { TaskPushNotificationConfig } from "../model.js";
import type { ClientStub } from "../operations.js";
import type { CallOptions } from "./options.js";
import { entriesOf } from "./pages.js";

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

  /**
   * All webhooks of the task, page by page until there are no more (PAGE-06). A page token that comes again ends the iteration
   * with ClientError INVALID_RESPONSE.
   */
  list(options?: CallOptions): AsyncGenerator<TaskPushNotificationConfig> {
    return entriesOf(async (pageToken) => {
      const request = { taskId: this.#taskId, ...(pageToken !== "" && { pageToken }) };
      const page = await this.#client.listTaskPushNotificationConfigs(request, options);
      return { entries: page.configs ?? [], nextPageToken: page.nextPageToken ?? "" };
    });
  }

  /** Removes a webhook; one that is not there is no error. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#client.deleteTaskPushNotificationConfig({ taskId: this.#taskId, id }, options);
  }
}
