/**
 * Webhooks: receive push notifications, and call URLs from untrusted sources. To send push notifications from an agent, use the
 * option `push` of `serve` in `a2a-parley/server`; an agent that implements the operations itself uses {@link WebhookCaller}.
 *
 * @packageDocumentation
 */

// Receiving notifications
export { type KoaContext, pushMiddleware } from "./receiver/koa.js";
export {
  type PushNotification,
  type PushReceipt,
  PushReceiver,
  type PushReceiverOptions,
  type PushTarget,
  pushReceiver,
} from "./receiver/push-receiver.js";
export type { PushRequest } from "./receiver/push-request.js";
export type { Secrets } from "./receiver/secrets.js";
export type { SignatureRules } from "./receiver/signature.js";
// Untrusted URLs
export type { UrlRules } from "./url-guard/check-url.js";
export { UrlRefused } from "./url-guard/check-url.js";
export type { GuardedAnswer, GuardedRequest, Resolver } from "./url-guard/connections.js";
export { UrlGuard, type UrlGuardOptions } from "./url-guard/url-guard.js";
// Webhooks of agents that implement the operations themselves
export { WebhookCaller } from "./webhook-caller.js";
