import type { Agent } from "../agent/define-agent.js";
import { isDoneWithin } from "../async/deadlines.js";
import type { Readings } from "../observability/metrics.js";
import { loadCodecs } from "../versions/codecs.js";
import { AppLimits } from "./app-limits.js";
import { Endpoints } from "./endpoints.js";
import { Mount } from "./mount.js";
import { noHeaders, type ReplyHeaders } from "./operation-request.js";
import { Outgoing } from "./outgoing/outgoing.js";
import { checkPath, resolveServerOptions } from "./resolve-options.js";
import type { ServerOptions, ServerSettings } from "./settings.js";
import { OpenStreams } from "./streams/open-streams.js";
import { SilentStreams } from "./streams/silent-streams.js";

/** One agent, or several by the paths at which they live: `{ "/research": a, "/writer": b }`. */
export type Agents = Agent | Readonly<Record<string, Agent>>;

/** Seconds that pending responses get when the server stops. */
const GRACE_SECONDS = 10;

const HSTS: ReplyHeaders = Object.freeze({ "Strict-Transport-Security": "max-age=31536000" });

/** How long streams may take to end by themselves when all executors are done. */
const LINGER_MS = 1000;

/** After the grace: time for agents to write down what they have, and to let go of it. */
const STOP_MS = 1000;

/** Agents that are served together, and what their requests share, whatever host takes these in. */
export class AgentServer {
  readonly settings: ServerSettings;
  readonly mounts: readonly Mount[];
  /** The agent whose card is at the host-level path: the one at the root, else the first. */
  readonly main: Mount;
  readonly endpoints: Endpoints;
  readonly streams: OpenStreams;
  readonly silentStreams: SilentStreams;
  readonly outgoing: Outgoing;
  readonly appLimits: AppLimits;
  /** Requests that are being answered, streams included. */
  active = 0;
  closing = false;
  /** Headers of every answer. */
  readonly headers: ReplyHeaders;
  /** Open connections, where the host knows them. */
  connections: { readonly size: number } | undefined;
  /** Called at the end of {@link AgentServer.close}, for what the host has to stop. */
  onClosed: (() => void) | undefined;
  /** Pending while the codecs of the versions that are served are on their way; undefined when they are there. */
  loading: Promise<void> | undefined;
  #address: string | undefined;
  #idle: (() => void) | undefined;
  readonly #unobserve: (() => void) | undefined;

  /**
   * @throws TypeError for options and paths that cannot be right
   * @throws CardError for a card that must not be served
   */
  constructor(agents: Agents, options: ServerOptions) {
    this.settings = resolveServerOptions(options);
    const entries = isAgent(agents) ? [["/", agents] as const] : Object.entries(agents);
    for (const [path] of entries) checkPath("agents", path);
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
    if (first === undefined) throw new TypeError("agents: name at least one");
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
   * Lists gRPC in the card of the agent that its callers reach: paths of gRPC name services, so that one port has one agent.
   * @param address `host:port`, as cards show it
   * @param isWeb whether gRPC-Web is served, below the URL of every agent
   */
  listenForGrpc(address: string, isWeb: boolean): void {
    this.main.grpcAddress = address;
    for (const mount of this.mounts) mount.hasGrpcWeb = isWeb;
  }

  /** The one address of the server, when it does not depend on what a request says. */
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
   * Tells the server where it is. Its cards are checked there, what is probably not meant is logged, and its agents begin as soon
   * as they can speak.
   * @param address undefined when every request has to tell it
   * @throws CardError, or TypeError when cards are signed and their address is not known
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
    for (const mount of this.mounts) {
      for (const warning of [...mount.check(this.address), ...mount.warnings]) {
        logger.warn({ agent: mount.served.card.name }, `Agent card: ${warning}`);
      }
    }
    if (this.loading === undefined) this.#start();
    // A codec that cannot be loaded is missing from the installation. The rejection is left unhandled, so that it is not overlooked.
    else void this.loading.then(() => this.#start());
  }

  #start(): void {
    if (!this.closing) for (const mount of this.mounts) mount.start();
  }

  /**
   * Makes the cards before anyone asks for them.
   * @throws TypeError when a key cannot sign
   */
  async prepare(address: string): Promise<void> {
    await Promise.all(this.mounts.map((mount) => mount.card.document(address)));
  }

  /** A request has come. */
  enter(): void {
    this.active += 1;
  }

  /** The answer to a request has left, or cannot leave any more. */
  leave(): void {
    this.active -= 1;
    if (this.active === 0) this.#idle?.();
  }

  /**
   * Refuses new work, ends open streams, waits for what is being answered, then stops the agents. Returns a second after the
   * grace at the latest, whatever executors, webhooks and the store do.
   * @param grace seconds for answers, and then for webhooks
   */
  async close(grace = GRACE_SECONDS): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.appLimits.executions.close();
    const end = performance.now() + grace * 1000;
    if (this.settings.whenClosing === "finish") {
      await isDoneWithin(end - performance.now(), this.idle());
      // What executors gave at last is still on its way to those who follow.
      await this.#quiet(Math.min(LINGER_MS, end - performance.now()));
    }
    this.streams.stop();
    for (const mount of this.mounts) mount.endPolls();
    await this.#quiet(end - performance.now());
    this.outgoing.close();
    this.silentStreams.stop();
    const left = Math.max(end - performance.now(), 0);
    const stopped = Promise.all(this.mounts.map((mount) => mount.close(left)));
    if (!(await isDoneWithin(left + STOP_MS, stopped))) {
      this.settings.logger.error({ grace }, "The server was closed before its agents had stopped");
    }
    this.onClosed?.();
    this.#unobserve?.();
  }

  /** Takes up now what the agents have left undone. Resolves when no executor is at work and no webhook is due. */
  async tick(): Promise<void> {
    if (this.loading !== undefined) await this.loading;
    if (!this.closing) await Promise.all(this.mounts.map((mount) => mount.tick()));
  }

  /** Resolves when no executor of any agent is at work. */
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

  /** Reports that the host cuts off a reader that takes nothing. */
  reportCut(address: string | undefined, unsent: number): void {
    const { limits, logger } = this.settings;
    logger.warn(
      { address, unsent, seconds: limits.writeTime },
      "Closed a connection whose reader took nothing",
    );
    this.appLimits.observer?.cut();
  }

  #readings(): Readings {
    const { executions, messages, received } = this.appLimits;
    const backlogs = this.mounts.map(({ backlog }) => backlog);
    return {
      "a2a.server.streams": this.streams.size,
      "a2a.server.executions": executions.size,
      "a2a.server.abandoned": executions.abandoned,
      "a2a.server.waiting": executions.waiting,
      "a2a.server.messages": messages.size,
      "a2a.server.connections": this.connections?.size ?? 0,
      "a2a.server.received": received.size,
      "a2a.server.unsent": this.outgoing.unsent,
      "a2a.server.unsent.waiting": this.outgoing.waiting,
      "a2a.server.outbox.depth": backlogs.reduce((sum, { depth }) => sum + depth, 0),
      "a2a.server.outbox.age": Math.max(0, ...backlogs.map(({ age }) => age / 1000)),
      "a2a.server.outbox.bytes": backlogs.reduce((sum, { bytes }) => sum + bytes, 0),
      "a2a.server.stored": this.settings.store.bytes?.() ?? 0,
    };
  }
}

function isAgent(agents: Agents): agents is Agent {
  return "card" in agents && ("execute" in agents || "handler" in agents);
}
