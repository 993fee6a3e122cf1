import type { CallContext } from "../../protocol/call-context.js";
import type { Logger } from "../../protocol/logger.js";
import type { SendMessageRequest } from "../../protocol/model.js";
import type { PushConfigRegistry, RequestedConfig } from "../../push/push-configs.js";
import type { PushRecord } from "../../stores/push-store.js";
import type { SendOutcome } from "../../stores/send-ledger.js";
import { isRefusal } from "../../stores/store-error.js";
import { GenerationConflict } from "../../stores/task-store.js";
import type { TaskLog } from "../task-log.js";

/**
 * The webhook in the configuration of a message (§3.2.2). Its delivery begins with the event that records the message, unless the task has
 * the webhook already.
 */
export class InlineWebhook {
  readonly #configs: PushConfigRegistry;
  readonly #inline: RequestedConfig;
  readonly #log: TaskLog;
  readonly #logger: Logger;

  private constructor(configs: PushConfigRegistry, inline: RequestedConfig, log: TaskLog, logger: Logger) {
    this.#configs = configs;
    this.#inline = inline;
    this.#log = log;
    this.#logger = logger;
  }

  /**
   * Checks the webhook of a request without storing it.
   * @returns undefined if the request has none, or the agent sends no notifications; otherwise a promise of the webhook. It rejects with
   * A2AError INVALID_PARAMS if the webhook is invalid or its URL is not allowed, with RATE_LIMITED if there are too many, or with what the
   * store throws
   */
  static of(
    request: SendMessageRequest,
    call: CallContext,
    log: TaskLog,
    configs: PushConfigRegistry | undefined,
  ): Promise<InlineWebhook> | undefined {
    const config = request.configuration?.taskPushNotificationConfig;
    if (config === undefined || configs === undefined) return undefined;
    const { scope, taskId } = log;
    const inline = { scope, taskId, config, version: call.version };
    return configs.check(inline).then(() => new InlineWebhook(configs, inline, log, call.logger));
  }

  /**
   * Stores the webhook, then creates the task. Deletes the webhook again if it is certain that there is no task.
   * @param make creates the task, or resolves with a reply; rejects if that failed or its outcome is unknown
   * @param hasWritten whether `make` may have sent anything to the store
   * @throws A2AError RATE_LIMITED or UNAVAILABLE if there is no room for the webhook, or what the store throws, without calling `make`;
   * otherwise what `make` throws
   */
  async attachToNewTask(make: () => Promise<SendOutcome>, hasWritten: () => boolean): Promise<SendOutcome> {
    const record = await this.#configs.attach(this.#inline, 0);
    let isWanted = false;
    try {
      const outcome = await make();
      isWanted = "generation" in outcome;
      return outcome;
    } catch (error) {
      isWanted = (hasWritten() && mayBeStored(error)) || (await this.#exists());
      throw error;
    } finally {
      // If the webhook cannot be deleted, the caller still gets the outcome. The outbox deletes a webhook without a task after a while.
      if (isWanted || !(await this.#discard(record))) this.#configs.begin(record);
    }
  }

  /** Deletes the webhook. @returns false if the store failed */
  #discard(record: PushRecord): Promise<boolean> {
    return this.#configs.discard(record).then(
      () => true,
      (err: unknown) => {
        const { taskId } = this.#log;
        this.#logger.warn(
          { err, taskId },
          "The webhook of a task that was not created could not be deleted yet",
        );
        return false;
      },
    );
  }

  /** Whether another message has created the task. True if the store fails, because without the webhook events would be lost. */
  #exists(): Promise<boolean> {
    const { store, scope, taskId } = this.#log;
    return store.load(scope, taskId).then(
      (snapshot) => snapshot !== undefined,
      () => true,
    );
  }

  /**
   * Stores the webhook for a task that exists.
   * @param recorded resolves with the generation that records the message
   * @returns that generation
   * @throws A2AError RATE_LIMITED or UNAVAILABLE if there is no room for the webhook, although the message is recorded; otherwise the
   * rejection of `recorded`, or what the store throws
   */
  async attachToTask(recorded: Promise<number>): Promise<number> {
    const generation = await recorded;
    this.#configs.begin(await this.#configs.attach(this.#inline, generation - 1));
    return generation;
  }
}

/**
 * Whether the first entry may have been stored, or may still be, although its append failed. A node whose lease ended before the store
 * answered cannot know this, and a store that reconnects may store the entry later.
 */
function mayBeStored(error: unknown): boolean {
  return !(error instanceof GenerationConflict || isRefusal(error));
}
