import { runtime } from "#runtime";
import { type Agent, cardOf } from "../agent/define-agent.js";
import { systemClock } from "../async/clock.js";
import type { Denial } from "../auth/auth-options.js";
import { Gate } from "../auth/gate.js";
import { checkedRule, ownerAndTenant } from "../auth/scope-rule.js";
import { buildCard, type CardFacts, joinUrl } from "../card/build-card.js";
import { type OpenAgent, openAgent } from "../engine/open-agent.js";
import { unboundedLogger } from "../observability/bounded-logger.js";
import type { AgentCard, AgentInterface } from "../protocol/model.js";
import { type BindingName, GRPC_WEB } from "../protocol/operations.js";
import type { Codec } from "../versions/codec.js";
import { defaultVersions, servableVersions } from "../versions/codecs.js";
import { readVersion } from "../versions/version.js";
import type { AppLimits } from "./app-limits.js";
import { CardError } from "./card-error.js";
import { checkCard, unlistedInterfaces } from "./check-card.js";
import { countWaiting } from "./count-waiting.js";
import { CardResource } from "./documents/card-resource.js";
import type { HostRequest } from "./host.js";
import { authorization } from "./interceptors/authorization.js";
import { responseCheck } from "./interceptors/response-check.js";
import { warnOfSharedPath } from "./mounted-path.js";
import type { ServedAgent } from "./served-agent.js";
import type { ServerSettings } from "./settings.js";
import { supportedCapabilities } from "./supported-capabilities.js";
import { TaskVersionCache } from "./task-versions.js";

/** The URL with which cards are checked while that of the server is unknown. */
const PLACEHOLDER_URL = "http://localhost";

/** An agent at its path on the server. */
export class Mount {
  /** Path of the agent: `""` at the root, else `/name`. */
  readonly prefix: string;
  /** Protocol versions that are served for the agent, the preferred one first. */
  readonly versions: readonly string[];
  readonly served: ServedAgent;
  readonly card: CardResource;
  readonly #agent: Agent;
  readonly #settings: ServerSettings;
  readonly #open: OpenAgent;
  readonly #gate: Gate;
  readonly #codecs = new Map<string, Codec>();
  /** `host:port` at which gRPC callers reach the agent; undefined if it is not served over gRPC. */
  grpcAddress: string | undefined;
  /** Whether gRPC-Web is served below the URL of the agent. */
  hasGrpcWeb = false;

  /** @throws CardError for an invalid card, or one whose schemes have no verifiers; TypeError for what {@link openAgent} refuses */
  constructor(prefix: string, agent: Agent, settings: ServerSettings, appLimits: AppLimits) {
    this.prefix = prefix;
    this.#agent = agent;
    this.#settings = settings;
    this.versions = settings.versions ?? listedVersions(agent) ?? defaultVersions;
    // Before the server listens, the checks of the card need any address.
    if (settings.bindings.includes("GRPC")) this.grpcAddress = "localhost";
    const card = this.cardAt(settings.publicUrl ?? PLACEHOLDER_URL);
    this.check(settings.publicUrl);
    this.grpcAddress = undefined;
    const { store, logger, auth, cardKeys: keys, cardMaxAge: maxAge } = settings;
    const { mediaType, inferVersion, requireExtensionsOn } = settings;
    const scope = checkedRule(auth.scope ?? ownerAndTenant);
    const { observer, rateLimits, executions: executorLimiter, messageLimiter, deadlines, lease } = appLimits;
    const audit = (denial: Denial) => {
      auth.audit?.(denial);
      observer?.denied(denial);
    };
    this.#gate = new Gate({ agent: prefix, card, options: observer ? { ...auth, audit } : auth, logger });
    if (this.#gate.problems.length > 0) throw new CardError(card.name, this.#gate.problems);
    const cardAt = (url: string) => this.cardAt(url.slice(0, url.length - prefix.length));
    const push = card.capabilities.pushNotifications ? settings.push : undefined;
    observer?.name(prefix, card.name);
    if (!("handler" in agent)) warnOfSharedPath(settings, prefix, card.name);
    this.#open = openAgent(appLimits.watched(agent, prefix), {
      ...(push && { push: { options: push, codecs: this.#codecs } }),
      ...{ name: prefix, card, cardAt, store, logger, observer, executorLimiter, messageLimiter, deadlines },
      ...{ lease, clock: systemClock, newId: runtime.randomUUID, hookTimeout: settings.hookTimeout },
      ...{ maxHistory: settings.limits.history, maxTask: settings.limits.taskBytes },
      maxPage: settings.limits.page,
      maxName: settings.limits.name,
      pollTime: settings.limits.pollTime,
      scopeOf: (call) => ({ agent: prefix, ...scope(call) }),
    });
    const { trusted, handler, versionOf } = this.#open;
    const { authenticate, denied } = this.#gate;
    const identify = rateLimits
      ? (request: HostRequest) => rateLimits.admit(request, authenticate)
      : authenticate;
    this.served = {
      path: prefix,
      handler,
      interceptors: [appLimits.interceptors, authorization(auth) ?? [], trusted ? [] : responseCheck].flat(),
      streams: appLimits.streams,
      card,
      codecs: this.#codecs,
      taskVersions: new TaskVersionCache({ scopeOf: scope, ...(versionOf && { stored: versionOf }) }),
      logger,
      callLogger: unboundedLogger(logger),
      ...{ mediaType, inferVersion, requireExtensionsOn },
      idempotentSends: "idempotentSends" in agent && agent.idempotentSends === true,
      bounds: settings.limits,
      authenticate: identify && countWaiting(identify, appLimits.received),
      challenge: this.#gate.challenge,
      denied: (error, refused) => {
        denied(error, refused);
        observer?.refused(prefix, error, refused);
      },
    };
    this.card = new CardResource({
      cardAt: (url) => this.cardAt(url),
      codecs: this.#codecs,
      paths: this.versions.flatMap((version) => servableVersions.get(version)?.cardPaths ?? []),
      keys,
      maxAge,
      since: new Date(),
    });
  }

  /** Sets the codecs of the agent's versions, in the given order: the newest first. Requests and `start` need them. */
  speak(codecs: ReadonlyMap<string, Codec>): void {
    for (const [version, codec] of codecs)
      if (this.versions.includes(version)) this.#codecs.set(version, codec);
  }

  /** URL of the agent on a server at the URL `base`. */
  urlAt(base: string): string {
    return base + this.prefix;
  }

  /** The public card, unsigned, on a server at the URL `base`. */
  cardAt(base: string): AgentCard {
    return buildCard(cardOf(this.#agent), this.#factsAt(base));
  }

  /** Probable mistakes in the security options and the card, one sentence each. */
  get warnings(): readonly string[] {
    return this.#gate.warnings;
  }

  /**
   * Checks the card on a server at the URL `base`. Without a URL, checks only what does not depend on it.
   * @returns probable mistakes, one sentence each
   * @throws CardError
   */
  check(base?: string): readonly string[] {
    const url = base ?? PLACEHOLDER_URL;
    const [card, facts] = [this.cardAt(url), this.#factsAt(url)];
    const warnings = checkCard(card, facts);
    return base === undefined ? warnings : [...warnings, ...unlistedInterfaces(card, facts)];
  }

  /** Paths on the server at which a binding is served. */
  pathsOf(binding: BindingName): readonly string[] {
    const { jsonRpcPaths, httpJsonPath } = this.#settings;
    // The paths of gRPC are those of its services.
    if (binding === "GRPC") return [];
    return (binding === "JSONRPC" ? jsonRpcPaths : [httpJsonPath]).map((path) => joinUrl(this.prefix, path));
  }

  /** Waits for take-overs of tasks that have begun, then until no executor is running, and then until no webhook is due. */
  allIdle(): Promise<void> {
    return this.#open.allIdle();
  }

  /** Takes over unfinished tasks and deliveries. Resolves when no executor of the agent is running and no webhook is due. */
  tick(): Promise<void> {
    return this.#open.tick();
  }

  /**
   * Resolves when the agent can serve requests.
   * @throws TypeError when the schema of an extension cannot be used
   */
  get ready(): Promise<void> {
    return this.#open.ready;
  }

  /** Public keys for the signatures of webhooks; undefined if they are not signed. */
  get keySet(): OpenAgent["keySet"] {
    return this.#open.keySet;
  }

  /** Lets the agent take over tasks and deliveries that other processes left unfinished. */
  start(): void {
    this.#open.start();
  }

  /** The number of webhooks with pending deliveries, the age of the oldest delivery in milliseconds, and the bytes being sent. */
  get backlog(): ReturnType<OpenAgent["backlog"]> {
    return this.#open.backlog();
  }

  /** Ends the reads that wait for the next generation of their task; they return the task. */
  endPolls(): void {
    this.#open.endPolls();
  }

  /** Resolves when no executor of the agent is running. */
  idle(): Promise<void> {
    return this.#open.idle();
  }

  /**
   * Stops the agent's executors, then its webhooks.
   * @param milliseconds as for {@link OpenAgent.close}
   */
  close(milliseconds: number): Promise<void> {
    return this.#open.close(milliseconds);
  }

  #factsAt(base: string): CardFacts {
    return {
      url: this.urlAt(base),
      served: this.#servedAt(base),
      supported: supportedCapabilities(this.#agent, this.#settings.push),
    };
  }

  /** The served interfaces: for each version, in the order of `versions`, each binding in the order of `bindings`. */
  #servedAt(base: string): AgentInterface[] {
    const { bindings } = this.#settings;
    const listed = new Set(
      this.versions
        .filter((version) => !servableVersions.get(version)?.isUnlisted)
        .map((version) => servableVersions.get(version)?.listedAs ?? version),
    );
    return [...listed].flatMap((protocolVersion) => [
      ...bindings.flatMap((protocolBinding) => {
        const url = this.#urlOf(protocolBinding, protocolVersion, base);
        return url === undefined ? [] : [{ url, protocolBinding, protocolVersion }];
      }),
      ...(this.hasGrpcWeb && servableVersions.get(protocolVersion)?.hasService
        ? [{ url: this.urlAt(base), protocolBinding: GRPC_WEB, protocolVersion }]
        : []),
    ]);
  }

  /** The URL of the agent for a binding and version; undefined if it is not served in this combination. */
  #urlOf(binding: BindingName, version: string, base: string): string | undefined {
    const { hasRoutes, hasService } = servableVersions.get(version) ?? {};
    if (binding === "GRPC") return hasService ? this.grpcAddress : undefined;
    const [path = ""] = this.pathsOf(binding);
    return binding === "JSONRPC" || hasRoutes ? base + path : undefined;
  }
}

/** The versions in `supportedInterfaces` that this package can serve; undefined if there are none. */
function listedVersions({ card }: Agent): readonly string[] | undefined {
  const listed = (card.supportedInterfaces ?? []).map(({ protocolVersion }) =>
    readVersion(String(protocolVersion)),
  );
  const versions = [...new Set(listed)].filter((version) => version !== undefined);
  const served = versions.filter((version) => servableVersions.has(version));
  return served.length > 0 ? served : undefined;
}
