import type { Agent, AgentDefinition } from "../agent/define-agent.js";
import { Deadlines } from "../async/deadlines.js";
import { Observer } from "../observability/observer.js";
import { tracedExecutor } from "../observability/traced-executor.js";
import type { Lease } from "../stores/lease-store.js";
import { ExecutorSlots } from "./executor-slots.js";
import type { Interceptor } from "./interceptors/interceptor.js";
import { tracing } from "./interceptors/telemetry.js";
import { MessageBytes } from "./message-bytes.js";
import { Quota } from "./quota.js";
import { RateLimits } from "./rate-limits.js";
import { ReceivedBytes } from "./received-bytes.js";
import type { ServerSettings } from "./settings.js";

/** The limits that all agents of a server share, and the observer of its telemetry. */
export class AppLimits {
  /** Absent without telemetry and audit. */
  readonly observer: Observer | undefined;
  /** Tasks whose executor is running. */
  readonly executions: ExecutorSlots;
  /** Limits the bytes of the messages of these tasks. */
  readonly messageLimiter: MessageBytes;
  readonly streams: Quota;
  /** Bytes of requests whose callers are not known yet. */
  readonly received: ReceivedBytes;
  /** Absent if the time of executors is not limited. */
  readonly deadlines: Deadlines | undefined;
  /** Absent if the rate of requests is not limited. */
  readonly rateLimits: RateLimits | undefined;
  /** The name of this server in the store, and the duration of its leases. */
  readonly lease: Lease;
  readonly #settings: ServerSettings;

  constructor(settings: ServerSettings) {
    const { telemetry, audit, logger, limits, rateLimit } = settings;
    const { streams, streamsPerPrincipal, workTime } = limits;
    this.#settings = settings;
    this.lease = { node: crypto.randomUUID(), duration: Math.ceil(settings.leaseTime * 1000) };
    this.observer = telemetry || audit ? new Observer({ telemetry, audit }) : undefined;
    this.executions = new ExecutorSlots(limits);
    this.messageLimiter = new MessageBytes(limits);
    this.streams = new Quota({ what: "open streams", total: streams, each: streamsPerPrincipal });
    this.received = new ReceivedBytes({ total: limits.bodies, each: limits.bodiesPerAddress });
    this.deadlines = workTime === Number.POSITIVE_INFINITY ? undefined : new Deadlines(workTime);
    this.rateLimits = rateLimit && new RateLimits(rateLimit, logger, settings.hookTimeout);
  }

  /**
   * The agent with an instrumented executor, if the server has telemetry.
   * @param path path of the agent on the server
   */
  watched(agent: Agent, path: string): Agent {
    const { observer } = this;
    if (observer?.telemetry === undefined || "handler" in agent) return agent;
    const execute = tracedExecutor(agent.execute, observer.nameOf(path), observer.telemetry);
    return { ...agent, execute } satisfies AgentDefinition;
  }

  /** The interceptors of every agent, the outermost first. */
  get interceptors(): readonly Interceptor[] {
    const { interceptors } = this.#settings;
    const { observer } = this;
    return observer?.telemetry === undefined
      ? interceptors
      : [tracing(observer.telemetry, observer), ...interceptors];
  }
}
