import type { AgentDefinition, CardInput, SecurityScheme } from "../../src/index.js";
import {
  apiKeys,
  basicUsers,
  bearerTokens,
  clientCertificates,
  jsonWebTokens,
  type ServeOptions,
  type Span,
  type Telemetry,
} from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { basic, bearer } from "../auth/guarded.js";
import { makeIssuer } from "../auth/issuer.js";

/** A function that an application gives to a server, where it goes, and how it is reached. */
export interface Hook {
  readonly options?: (fail: any) => ServeOptions;
  readonly agent?: (fail: any) => Partial<AgentDefinition>;
  readonly card?: CardInput;
  readonly headers?: Record<string, string>;
  /** Operation that calls it, on a task that there is; SendMessage when left out. */
  readonly operation?: "CancelTask" | "GetExtendedAgentCard";
}

const issuer = await makeIssuer();

const span: Span = { trace: undefined, run: (body) => body(), annotate: () => {}, end: () => {} };
const telemetry: Telemetry = { begin: () => span, count: () => {}, time: () => {}, observe: () => () => {} };
const ofTelemetry = (more: Partial<Telemetry>): ServeOptions => ({ telemetry: { ...telemetry, ...more } });
const ofSpan = (more: object): ServeOptions => ofTelemetry({ begin: () => ({ ...span, ...more }) });

/** Hooks that are told of something: when they fail, the caller does not notice. */
export const told: Readonly<Record<string, Hook>> = {
  audit: { options: (audit) => ({ audit }) },
  "auth.audit": {
    card: cardOf({ key: schemes.key }, ["key"]),
    headers: { "X-API-Key": "wrong" },
    options: (audit) => ({ auth: { audit, verifiers: { key: apiKeys({ right: "ann" }) } } }),
  },
  rateLimit: { options: (consume) => ({ rateLimit: { consume } }) },
  "telemetry.begin": { options: (begin) => ofTelemetry({ begin }) },
  "telemetry.count": { options: (count) => ofTelemetry({ count }) },
  "telemetry.time": { options: (time) => ofTelemetry({ time }) },
  "telemetry.observe": { options: (observe) => ofTelemetry({ observe }) },
  "telemetry.span.run": { options: (run) => ofSpan({ run }) },
  "telemetry.span.end": { options: (end) => ofSpan({ end }) },
};

const ofVerifier = (card: CardInput, verifier: (fail: any) => unknown): Hook => ({
  card,
  options: (fail) => ({ auth: { verifiers: { it: verifier(fail) as ReturnType<typeof apiKeys> } } }),
});
const bearerCard = cardOf({ it: schemes.bearer }, ["it"]);
const tokenOf = (): Promise<string> => issuer.token();

/** Hooks that decide about a request: when they fail, it is refused. */
export const deciding: Readonly<Record<string, Hook>> = {
  "auth.authenticate": { options: (authenticate) => ({ auth: { authenticate } }) },
  "auth.authorize": { options: (authorize) => ({ auth: { authorize } }) },
  "auth.tenants": { options: (tenants) => ({ auth: { tenants } }) },
  "auth.verifiers (of the application)": ofVerifier(bearerCard, (fail) => ({ open: () => fail })),
  "auth.verifiers (apiKeys)": {
    ...ofVerifier(cardOf({ it: schemes.key }, ["it"]), apiKeys),
    headers: { "X-API-Key": "any" },
  },
  "auth.verifiers (basicUsers)": {
    ...ofVerifier(cardOf({ it: schemes.basic }, ["it"]), basicUsers),
    headers: basic("ann", "secret"),
  },
  "auth.verifiers (bearerTokens)": { ...ofVerifier(bearerCard, bearerTokens), headers: bearer("any") },
  "auth.verifiers (clientCertificates)": ofVerifier(cardOf({ it: schemes.mtls }, ["it"]), (fail) => ({
    // There is no TLS here: a request that shows a certificate.
    open: (scheme: SecurityScheme) => {
      const probe = clientCertificates(fail).open(scheme);
      return () => probe({ certificate: { trusted: true, subject: { CN: "ann" } } } as never);
    },
  })),
  "auth.verifiers (jsonWebTokens, identify)": {
    ...ofVerifier(bearerCard, (identify) =>
      jsonWebTokens({
        ...{ issuer: issuer.name, audience: "https://agent.example", keys: issuer.keys },
        identify,
      }),
    ),
    headers: bearer(await tokenOf()),
  },
  "auth.verifiers (jsonWebTokens, fetch)": {
    ...ofVerifier(bearerCard, (fetch) =>
      jsonWebTokens({
        ...{ issuer: issuer.name, audience: "https://agent.example", keys: "https://issuer.example/keys" },
        fetch,
      }),
    ),
    headers: bearer(await tokenOf()),
  },
  "auth.scope": { options: (scope) => ({ auth: { scope } }) },
  interceptors: { options: (interceptor) => ({ interceptors: [interceptor] }) },
  extendedCard: {
    agent: (extendedCard) => ({ extendedCard, extendedCardForAnyone: true }),
    operation: "GetExtendedAgentCard",
  },
  cancel: { agent: (cancel) => ({ cancel }), operation: "CancelTask" },
};
