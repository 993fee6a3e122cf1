/**
 * Serving agents over HTTP.
 *
 * @packageDocumentation
 */

// Authentication and authorization
export { apiKeys, type KeyCheck } from "../auth/api-keys.js";
export type { Access, AuthOptions, Denial } from "../auth/auth-options.js";
export { basicUsers, type KnownUser, type UserCheck, type UserCredentials } from "../auth/basic-users.js";
export { bearerTokens, type TokenCheck } from "../auth/bearer-tokens.js";
export type { Reasons } from "../auth/challenge.js";
export { type CertificateCheck, clientCertificates } from "../auth/client-certificates.js";
export type { ClientCertificate, IncomingRequest } from "../auth/incoming-request.js";
export { type JsonWebTokenOptions, jsonWebTokens, type KeySetOptions } from "../auth/json-web-tokens.js";
export {
  type OAuth2Options,
  type OpenIdConnectOptions,
  oauth2,
  openIdConnect,
} from "../auth/open-id-connect.js";
export type { Ownership, ScopeRule } from "../auth/scope-rule.js";
export type { TokenRules } from "../auth/token-rules.js";
export type { Identity, Probe, Proof, Refusal, Verifier, VerifierAnswer } from "../auth/verifier.js";
export type { CardKey } from "../card/sign-card.js";
// Observability, webhooks and versions
export type { AuditEvent } from "../observability/audit-event.js";
export type { CounterName, DurationName, Readings } from "../observability/metrics.js";
export type { Attributes, Span, SpanFailure, SpanStart, Telemetry } from "../observability/telemetry.js";
export type { BindingName } from "../protocol/operations.js";
export type { TraceContext } from "../protocol/trace-context.js";
export type { CredentialRequest, DeadLetter, PushOptions, Webhook } from "../push/options.js";
export type { PushKey, PushSigning } from "../push/signer.js";
export type { ServerVersion } from "../versions/codecs.js";
export type { Agents } from "./agent-server.js";
// Cards
export { CardError } from "./card-error.js";
export type { Interceptor, OperationAnswer, OperationCall, Proceed } from "./interceptors/interceptor.js";
// Servers
export { type AgentApp, createApp } from "./koa/create-app.js";
export { type RunningServer, type ServeOptions, serve } from "./koa/serve.js";
export type { Limits } from "./limits.js";
export type { RateLimit, RateLimiter } from "./rate-limits.js";
export type { MetricsOptions, ServerOptions } from "./settings.js";
