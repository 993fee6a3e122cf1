/**
 * Webhooks: their receiving end, and the guard for URLs that strangers gave. How an agent sends push notifications is an option
 * of the server (`push` in `a2a-parley/server`).
 *
 * @packageDocumentation
 */

// URLs of strangers
export type { UrlRules } from "./guard/check-url.js";
export type { GuardedAnswer, GuardedRequest } from "./guard/exchange.js";
export type { Resolver } from "./guard/resolver.js";
export { UrlGuard, type UrlGuardOptions } from "./guard/url-guard.js";
export { UrlRefused } from "./guard/url-refused.js";
// The receiving end
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
