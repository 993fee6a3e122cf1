import { assertAgent, isOneAgent } from "../agent/assert-agent.js";
import type { Agent } from "../agent/define-agent.js";
import { isDoneWithin } from "../async/deadlines.js";
import { everySettled, everyStep } from "../async/every-step.js";
import type { Readings } from "../observability/metrics.js";
import { loadCodecs } from "../versions/codecs.js";
import { AppLimits } from "./app-limits.js";
import { Endpoints } from "./endpoints.js";
import { Mount } from "./mount.js";
import { missingMount, repeatedPath } from "./mounted-path.js";
import { noHeaders, type ReplyHeaders } from "./operation-request.js";
import { Outgoing } from "./outgoing/outgoing.js";
import { checkPath, resolveServerOptions } from "./resolve-options.js";
import type { ServerOptions, ServerSettings } from "./settings.js";
import { OpenStreams } from "./streams/open-streams.js";
import { SilentStreams } from "./streams/silent-streams.js";

/** One agent, or several by their paths: `{ "/research": a, "/writer": b }`. */
export type Agents = Agent | Readonly<Record<string, Agent>>;

/** Seconds that pending responses get when the server stops. */
const GRACE_SECONDS = 10;

const HSTS: ReplyHeaders = Object.freeze({ "Strict-Transport-Security": "max-age=31536000" });

/** Milliseconds in which streams may end by themselves after all executors have ended. */
const LINGER_MS = 1000;

/** Milliseconds after the grace for agents to store their last updates and to release their leases. */
const STOP_MS = 1000;

/** The agents of one server, and the state that their requests share. It does not depend on the host that receives the requests. */
export class AgentServer {
  readonly settings: ServerSettings;
  readonly mounts: readonly Mount[];
  /** The agent whose card is at the root of the host: the agent at the root, else the first one. */
  readonly main: Mount;
  readonly endpoints: Endpoints;
  readonly streams: OpenStreams;
  readonly silentStreams: SilentStreams;
  readonly outgoing: Outgoing;
  readonly appLimits: AppLimits;
  /** Number of requests in progress, including streams. */
  active = 0;
  /** Whether the server is stopping and refuses new requests. */
  closing = false;
  /** Headers of every response. */
  readonly headers: ReplyHeaders;
  /** Open connections; undefined if the host does not know them. */
  connections: { readonly size: number } | undefined;
  /** Called at the end of {@link AgentServer.close}, so that the host can stop its timers. */
  onClosed: (() => void) | undefined;
  /** Pending while the codecs of the served versions are being imported; undefined afterwards. */
  loading: Promise<void> | undefined;
  #address: string | undefined;
  #idle: (() => void) | undefined;
  /** Whether `publicUrl` was compared with the path of the mount. */
  #isMountChecked: boolean;
  readonly #unobserve: (() => void) | undefined;

  /**
   * @throws TypeError for invalid options or paths
   * @throws CardError for an invalid card
   */
  constructor(agents: Agents, options: ServerOptions) {
    this.settings = resolveServerOptions(options);
    this.#isMountChecked = this.settings.publicUrl === undefined;
    const entries = agentsByPath(agents);
    this.appLimits = new AppLimits(this.settings);
    this.mounts = entries.map(
      ([path, agent]) => new Mount(path === "/" ? "" : path, agent, this.settings, this.appLimits),
    );
    for (const name of Object.keys(this.settings.auth.verifiers ?? {})) {
      const isDeclared = this.mounts.some(({ served }) =>
        Object.hasOwn(served.card.securitySchemes ?? {}, name),
      );
      if (!isDeclared) throw new TypeError(`auth.verifiers: no card has a security scheme "${name}"`);
    }
    const [first] = this.mounts;
    if (first === undefined) throw new TypeError('agents: name at least one, such as { "/writer": writer }');
    this.main = this.mounts.find(({ prefix }) => prefix === "") ?? first;
    this.endpoints = new Endpoints(this.mounts, this.settings);
    this.streams = new OpenStreams(this.settings.heartbeat, this.settings.limits.idleTime);
    this.silentStreams = new SilentStreams(this.settings.heartbeat);
    this.outgoing = new Outgoing(this.settings.limits);
    this.headers = this.settings.publicUrl?.startsWith("https:") ? HSTS : noHeaders;
    this.#unobserve = this.settings.telemetry?.observe(() => this.#readings());
    this.loading = this.#load();
  }

  /**
   * Lists gRPC in the cards: gRPC in that of the main agent, gRPC-Web in that of every agent. A path of gRPC names a service and not an
   * agent, so one port serves one agent.
   * @param address `host:port` of gRPC, as cards show it
   * @param isWeb whether gRPC-Web is served, below the URL of every agent
   */
  listenForGrpc(address: string, isWeb: boolean): void {
    this.main.grpcAddress = address;
    for (const mount of this.mounts) mount.hasGrpcWeb = isWeb;
  }

  /** The URL of the server; undefined if it depends on the headers of each request. */
  get address(): string | undefined {
    return this.settings.publicUrl ?? (this.settings.trustProxy ? undefined : this.#address);
  }

  async #load(): Promise<void> {
    const codecs = await loadCodecs((version) =>
      this.mounts.some(({ versions }) => versions.includes(version)),
    );
    for (const mount of this.mounts) mount.speak(codecs);
    this.loading = undefined;
  }

  /**
   * Sets the URL of the server, over which options have precedence: see {@link AgentServer.address}. Checks the cards, logs what is
   * probably a mistake in them, and starts the agents once their codecs are imported.
   * @param address undefined if the URL depends on each request
   * @throws CardError for an invalid card
   * @throws TypeError when cards are signed although their URL is unknown, or when gRPC has no port
   */
  settleAt(address: string | undefined): void {
    this.#address = address;
    const { logger, cardKeys, bindings } = this.settings;
    if (bindings.includes("GRPC") && this.main.grpcAddress === undefined) {
      throw new TypeError('bindings: only `serve` has a port for "GRPC"');
    }
    if (cardKeys.length > 0 && this.address === undefined) {
      throw new TypeError(
        "cardKeys: set publicUrl as well, so that a caller's Host header cannot decide what is signed",
      );
    }
    const repeated = repeatedPath(this.settings.publicUrl, this.mounts);
    if (repeated !== undefined) logger.warn({}, repeated);
    for (const mount of this.mounts) {
      for (const warning of [...mount.check(this.address), ...mount.warnings]) {
        logger.warn({ agent: mount.served.card.name }, `Agent card: ${warning}`);
      }
    }
    if (this.loading === undefined) this.#start();
    // If a codec cannot be imported, the installation is damaged. The rejection is not handled, so that it ends the process.
    else void this.loading.then(() => this.#start());
  }

  #start(): void {
    if (!this.closing) for (const mount of this.mounts) mount.start();
  }

  /**
   * Creates and signs the cards before the first request for them.
   * @throws Error when a key cannot sign
   */
  async prepare(address: string): Promise<void> {
    await Promise.all(this.mounts.map((mount) => mount.card.document(address)));
  }

  /**
   * Logs once if `publicUrl` lacks the path at which an application has mounted the agents. Most frameworks tell this path only with a
   * request. It is no error: a proxy may serve the path as another one.
   * @param base path of the mount; `""` at the root
   */
  checkMount(base: string): void {
    if (this.#isMountChecked) return;
    this.#isMountChecked = true;
    const missing = missingMount(this.settings.publicUrl, base);
    if (missing !== undefined) this.settings.logger.warn({}, missing);
  }

  /** Counts a request that has arrived. */
  enter(): void {
    this.active += 1;
  }

  /** Called when the response to a request was sent, or can no longer be sent. */
  leave(): void {
    this.active -= 1;
    if (this.active === 0) this.#idle?.();
  }

  /**
   * Refuses new requests, ends open streams, waits for pending responses, and then stops the agents. Returns at most a second after the
   * grace, even if executors, webhooks or the store do not respond.
   * A second call returns at once. A step that fails does not keep later steps from running.
   * @param grace seconds for pending responses and webhooks together; 10 by default
   * @throws what the first failed step threw
   */
  async close(grace = GRACE_SECONDS): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.appLimits.executions.close();
    const end = performance.now() + grace * 1000;
    const left = () => Math.max(end - performance.now(), 0);
    await everyStep([
      () => (this.settings.whenClosing === "finish" ? this.#finish(left) : undefined),
      () => this.streams.stop(),
      ...this.mounts.map((mount) => () => mount.endPolls()),
      () => this.#quiet(left()),
      () => this.outgoing.close(),
      () => this.silentStreams.stop(),
      () => this.#stop(left(), grace),
      () => this.onClosed?.(),
      () => this.#unobserve?.(),
    ]);
  }

  /** Waits for the executors, as long as the grace lasts. */
  async #finish(left: () => number): Promise<void> {
    await isDoneWithin(left(), this.idle());
    // The last updates of the executors are still being sent to subscribers.
    await this.#quiet(Math.min(LINGER_MS, left()));
  }

  /** Stops all agents, also if one fails. */
  async #stop(milliseconds: number, grace: number): Promise<void> {
    const stopped = everySettled(this.mounts.map(async (mount) => mount.close(milliseconds)));
    if (!(await isDoneWithin(milliseconds + STOP_MS, stopped))) {
      this.settings.logger.error({ grace }, "The server was closed before its agents had stopped");
    }
  }

  /** Takes over unfinished tasks and deliveries. Resolves when no executor is running and no webhook is due. */
  async tick(): Promise<void> {
    if (this.loading !== undefined) await this.loading;
    if (!this.closing) await Promise.all(this.mounts.map((mount) => mount.tick()));
  }

  /** Resolves when no executor of any agent is running. */
  async idle(): Promise<void> {
    await Promise.all(this.mounts.map((mount) => mount.idle()));
  }

  async #quiet(milliseconds: number): Promise<void> {
    if (this.active === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    await isDoneWithin(milliseconds, idle);
  }

  /** Reports that the host closes the connection, or the stream of HTTP/2, of a reader that has received nothing for too long. */
  reportCut(address: string | undefined, unsent: number, isStream = false): void {
    const { limits, logger } = this.settings;
    const closed = isStream ? "stream of HTTP/2" : "connection";
    logger.warn(
      { address, unsent, seconds: limits.writeTime },
      `Closed a ${closed} whose reader took nothing`,
    );
    this.appLimits.observer?.cut();
  }

  #readings(): Readings {
    const { executions, messageLimiter, received, streams } = this.appLimits;
    const backlogs = this.mounts.map(({ backlog }) => backlog);
    return {
      "a2a.server.streams": streams.size,
      "a2a.server.executions": executions.size,
      "a2a.server.abandoned": executions.abandoned,
      "a2a.server.waiting": executions.waiting,
      "a2a.server.messages": messageLimiter.size,
      "a2a.server.connections": this.connections?.size ?? 0,
      "a2a.server.received": received.size,
      "a2a.server.unsent": this.outgoing.unsent,
      "a2a.server.unsent.waiting": this.outgoing.waiting,
      "a2a.server.outbox.depth": backlogs.reduce((sum, { depth }) => sum + depth, 0),
      "a2a.server.outbox.age": Math.max(0, ...backlogs.map(({ age }) => age / 1000)),
      "a2a.server.outbox.bytes": backlogs.reduce((sum, { bytes }) => sum + bytes, 0),
      "a2a.server.stored": this.#stored(),
    };
  }

  /** Bytes of the store, which may be the application's: its error must not hide the other gauges. */
  #stored(): number {
    const { store, logger } = this.settings;
    try {
      return store.bytes?.() ?? 0;
    } catch (err) {
      logger.error({ err }, "The store could not tell its size");
      return 0;
    }
  }
}

/** @throws TypeError for a path that is not a plain one, and for what is not an agent */
function agentsByPath(agents: Agents): (readonly [path: string, agent: Agent])[] {
  const isOne =
    typeof agents !== "object" || agents === null || agents instanceof Promise || isOneAgent(agents);
  if (isOne) {
    assertAgent(agents);
    return [["/", agents]];
  }
  const entries = Object.entries(agents);
  for (const [path, agent] of entries) {
    checkPath("agents", path);
    assertAgent(agent, `agents["${path}"]`);
  }
  return entries;
}
