import type { CallContext } from "../call.js";
import type { SendMessageRequest } from "../model.js";
import type { InlineConfig, PushConfigs } from "../push/push-configs.js";
import type { Outcome } from "./output.js";
import type { TaskLog } from "./task-log.js";

/** The webhook that came with a message: it gets the events that the message leads to (OP-SEND-12). */
export class InlineWebhook {
  readonly #configs: PushConfigs;
  readonly #inline: InlineConfig;

  private constructor(configs: PushConfigs, inline: InlineConfig) {
    this.#configs = configs;
    this.#inline = inline;
  }

  /**
   * Checks the webhook of a request before the message has any effect.
   * @returns undefined when the request has none; else a promise that rejects with A2AError INVALID_PARAMS or RATE_LIMITED
   */
  static of(
    request: SendMessageRequest,
    call: CallContext,
    { scope, taskId }: TaskLog,
    configs: PushConfigs | undefined,
  ): Promise<InlineWebhook> | undefined {
    const config = request.configuration?.taskPushNotificationConfig;
    if (config === undefined || configs === undefined) return undefined;
    const inline = { scope, taskId, config, version: call.version };
    return configs.check(inline).then(() => new InlineWebhook(configs, inline));
  }

  /** Stores it, has the task made, and drops it again when no task comes of the message. */
  async opening(make: () => Promise<Outcome>): Promise<Outcome> {
    const record = await this.#configs.attach(this.#inline, 0);
    let isMade = false;
    try {
      const outcome = await make();
      isMade = "generation" in outcome;
      return outcome;
    } finally {
      if (isMade) this.#configs.begin(record);
      else await this.#configs.discard(record);
    }
  }

  /** Stores it for a task that has taken the message in. */
  async following(taken: Promise<number>): Promise<number> {
    const generation = await taken;
    this.#configs.begin(await this.#configs.attach(this.#inline, generation - 1));
    return generation;
  }
}
