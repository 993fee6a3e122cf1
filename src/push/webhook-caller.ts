import { writeJson } from "../json/json-text.js";
import type { StreamResponse, TaskPushNotificationConfig } from "../protocol/model.js";
import { checkConfig } from "./check-config.js";
import { headers } from "./request-headers.js";
import { UrlGuard, type UrlGuardOptions } from "./url-guard/url-guard.js";

/** Longest id of a push config, in bytes. */
const MAX_NAME = 256;

/**
 * Checks and calls webhooks for an agent that implements the operations itself: URLs of untrusted callers get no access to private networks
 * (§13.2), and requests carry the token and credentials of the webhook (§4.3.3). It stores nothing: the agent keeps the webhooks,
 * orders the events and handles failed calls. For an agent with an executor, the option `push` of `serve` does all of this.
 *
 * @example
 * ```ts
 * const webhooks = new WebhookCaller();
 * const config = { url: "https://hook.example/tasks", token: "a-secret" };
 * await webhooks.check(config); // INVALID_PARAMS that names `url` when it must not be called
 * const statusUpdate = { taskId: "t1", contextId: "c1", status: { state: "TASK_STATE_COMPLETED" as const } };
 * const httpStatus = await webhooks.call(config, { statusUpdate });
 * ```
 */
export class WebhookCaller {
  readonly #guard: UrlGuard;

  /**
   * @param options what may be called, and how; by default https to public addresses
   * @throws TypeError as the constructor of {@link UrlGuard}
   */
  constructor(options: UrlGuardOptions = {}) {
    this.#guard = new UrlGuard(options);
  }

  /**
   * Checks a webhook before it is stored: its URL (at most 2048 characters) like {@link UrlGuard.check}, its id (at most 256 bytes,
   * no control characters), and that headers can contain its token, scheme and credentials (at most 4096 characters each).
   * @param path path of the webhook in its request, with a trailing dot; empty when it is the whole request
   * @throws A2AError INVALID_PARAMS that names the member
   */
  check(config: TaskPushNotificationConfig, path = ""): Promise<void> {
    return checkConfig(config, { guard: this.#guard, maxName: MAX_NAME }, path);
  }

  /**
   * Sends an event to a webhook, in the shape of the newest released version and within 10 seconds.
   * @returns the HTTP status of the response
   * @throws as {@link UrlGuard.request}; TypeError for a token, scheme or credentials with characters that HTTP does not allow in a header
   */
  async call(config: TaskPushNotificationConfig, event: StreamResponse): Promise<number> {
    const { url, token, authentication } = config;
    const { status } = await this.#guard.request(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/a2a+json",
        ...(token && Object.fromEntries(headers.tokens.map((name) => [name, token]))),
        ...(authentication?.credentials && {
          Authorization: `${authentication.scheme} ${authentication.credentials}`,
        }),
      },
      body: writeJson(event),
    });
    return status;
  }

  /** Closes all connections, including those in use. Has no effect on a platform whose `fetch` manages them. */
  close(): void {
    this.#guard.close();
  }
}
