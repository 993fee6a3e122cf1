import type { CallContext } from "../../protocol/call-context.js";
import type { SendMessageRequest } from "../../protocol/model.js";
import type { InlineConfig, PushConfigRegistry } from "../../push/push-configs.js";
import type { ExecutionOutcome } from "../execution/task-output.js";
import type { TaskLog } from "../task-log.js";

/** The webhook that came with a message: it gets the events that the message leads to (OP-SEND-12). */
export class InlineWebhook {
  readonly #configs: PushConfigRegistry;
  readonly #inline: InlineConfig;
  readonly #log: TaskLog;

  private constructor(configs: PushConfigRegistry, inline: InlineConfig, log: TaskLog) {
    this.#configs = configs;
    this.#inline = inline;
    this.#log = log;
  }

  /**
   * Checks the webhook of a request before the message has any effect.
   * @returns undefined when the request has none; else a promise that rejects with A2AError INVALID_PARAMS or RATE_LIMITED
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
    return configs.check(inline).then(() => new InlineWebhook(configs, inline, log));
  }

  /** Stores it, has the task made, and drops it again when no task comes of the message. */
  async opening(make: () => Promise<ExecutionOutcome>): Promise<ExecutionOutcome> {
    const record = await this.#configs.attach(this.#inline, 0);
    let isMade = false;
    try {
      const outcome = await make();
      isMade = "generation" in outcome;
      return outcome;
    } catch (error) {
      isMade = await this.#isThere();
      throw error;
    } finally {
      if (isMade) this.#configs.begin(record);
      else await this.#configs.discard(record);
    }
  }

  /**
   * Whether the task exists after all: a node whose lease ended while the store was silent does not know what became of its
   * first entry. When the store cannot say, the webhook stays, since without it events would be lost.
   */
  #isThere(): Promise<boolean> {
    const { store, scope, taskId } = this.#log;
    return store.load(scope, taskId).then(
      (snapshot) => snapshot !== undefined,
      () => true,
    );
  }

  /** Stores it for a task that has taken the message in. */
  async following(taken: Promise<number>): Promise<number> {
    const generation = await taken;
    this.#configs.begin(await this.#configs.attach(this.#inline, generation - 1));
    return generation;
  }
}
