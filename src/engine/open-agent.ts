import type { JSONWebKeySet } from "jose";
import type { Agent } from "../agent/define-agent.js";
import { everySettled, everyStep } from "../async/every-step.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import type { A2AHandler } from "../protocol/operations.js";
import { type OpenPushOptions, openPush, type Push } from "../push/open-push.js";
import { keepsLeases } from "../stores/lease-store.js";
import { versionName } from "../versions/version.js";
import { Engine } from "./engine.js";
import type { EngineOptions } from "./engine-options.js";
import { extensionRules } from "./extension-rules.js";
import { Leases } from "./leases/leases.js";

/** A measure of the pending webhook deliveries. */
type Backlog = ReturnType<Push["outbox"]["backlog"]>;

/** An opened agent, as a server uses it. */
export interface OpenAgent {
  readonly handler: A2AHandler<CallContext>;
  /** Whether responses need no validation: true for the engine, false for a handler of the application. */
  readonly trusted: boolean;
  /** Resolves when the agent can serve requests; rejects with a TypeError if the schema of an extension cannot be used. */
  readonly ready: Promise<void>;
  /** The public keys of its webhook signatures; absent if it signs none. */
  readonly keySet?: () => Promise<JSONWebKeySet>;
  /**
   * The protocol version in which a task was created; undefined if there is no such task, or its log records no version. Absent if a
   * handler of the application keeps the tasks.
   * @throws what `scopeOf` or the store throws
   */
  versionOf?(taskId: string, call: CallContext): Promise<string | undefined>;
  /** Starts to renew leases, and to take over unfinished tasks and deliveries. */
  start(): void;
  /**
   * Renews leases and takes over unfinished tasks and deliveries now, where no timer can be relied on. Resolves when no executor is running
   * and no delivery is due.
   */
  tick(): Promise<void>;
  /** The pending deliveries, as `Outbox.backlog` counts them; all 0 if the agent sends no notifications. */
  backlog(): Backlog;
  /** Answers the reads that wait for a later generation of their task. */
  endPolls(): void;
  /** Resolves when no executor is running. */
  idle(): Promise<void>;
  /** Waits for take-overs that have begun, then until no executor is running, and then until no delivery is due. */
  allIdle(): Promise<void>;
  /**
   * Aborts the signals of the executors, whose tasks keep their state, and stores their updates. This takes as long as the store needs, and
   * deliveries go on during it. Then makes the pending deliveries that are due.
   * @param milliseconds limit on the time for those deliveries, counted from the call of `close`; the option `push.drain` limits it further
   */
  close(milliseconds: number): Promise<void>;
}

/** Options of {@link openAgent}: those of the engine, without the ones that `openAgent` determines. */
export interface OpenAgentOptions
  extends Omit<EngineOptions, "agent" | "extensions" | "leases" | "pushConfigs"> {
  /** Name of the agent in the store. */
  readonly name: string;
  /** Push notifications; absent if they are off. Ignored for a handler of the application. */
  readonly push?: Pick<OpenPushOptions, "options" | "codecs">;
}

const done = Promise.resolve();
const empty: Backlog = Object.freeze({ depth: 0, age: 0, bytes: 0 });
const nothing = (): void => undefined;

/**
 * Opens an agent: with its own handler if it has one, otherwise with an engine that runs its executor.
 * @throws TypeError if the store does not support the agent's idempotent sends or its push notifications, and for invalid options of push
 * notifications; what the function `push.signing.keys` throws
 */
export function openAgent(agent: Agent, { push: parts, ...options }: OpenAgentOptions): OpenAgent {
  if ("handler" in agent) {
    const { handler } = agent;
    const idle = () => done;
    return {
      handler,
      trusted: false,
      ready: done,
      start: nothing,
      tick: idle,
      backlog: () => empty,
      endPolls: nothing,
      idle,
      allIdle: idle,
      close: idle,
    };
  }
  const extensions = agent.extensions && extensionRules(agent.extensions);
  const { name, store, logger, observer, clock, lease, maxName = Number.POSITIVE_INFINITY } = options;
  const push = parts && openPush({ ...parts, name, store, logger, observer, clock, lease, maxName });
  const leases = keepsLeases(store) ? new Leases({ store, agent: name, lease, clock, logger }) : undefined;
  const engine = new Engine({
    ...options,
    agent,
    leases,
    ...(extensions && { extensions }),
    ...(push && { pushConfigs: push.configs }),
  });
  return {
    handler: engine,
    trusted: true,
    ready: extensions?.ready ?? done,
    async versionOf(taskId, call) {
      if (isLonger(taskId, maxName)) return undefined;
      const version = (await store.load(options.scopeOf(call), taskId))?.version;
      return version === undefined ? undefined : versionName(version);
    },
    ...(push?.keySet && { keySet: push.keySet }),
    start() {
      engine.start();
      push?.outbox.start();
    },
    async tick() {
      // The deliveries do not wait for executors, which may take long.
      await everySettled([engine.tick(), push?.outbox.tick() ?? done]);
      // The events that the executors have produced in the meantime.
      await push?.outbox.tick();
    },
    backlog: () => push?.outbox.backlog() ?? empty,
    endPolls: () => engine.endPolls(),
    idle: () => engine.idle(),
    async allIdle() {
      await engine.allIdle();
      await push?.outbox.idle();
    },
    async close(milliseconds) {
      const end = performance.now() + milliseconds;
      await everyStep([() => engine.close(), () => push?.close(Math.max(end - performance.now(), 0))]);
    },
  };
}
