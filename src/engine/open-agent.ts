import type { JSONWebKeySet } from "jose";
import type { Agent } from "../agent/define-agent.js";
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

/** What waits to be delivered. */
type Backlog = ReturnType<Push["outbox"]["backlog"]>;

/** An agent at work. */
export interface OpenAgent {
  readonly handler: A2AHandler<CallContext>;
  /** Whether every answer is known to keep the contract; those of hand-made handlers are checked on their way out. */
  readonly trusted: boolean;
  /** Resolves when it can work; rejects with a TypeError when the schema of an extension is not valid. */
  readonly ready: Promise<void>;
  /** Public keys of what it signs; absent when it signs nothing. */
  readonly keySet?: () => Promise<JSONWebKeySet>;
  /** Version in which a task of a caller was begun, as far as that is stored with it; absent when somebody else keeps the tasks. */
  versionOf?(taskId: string, call: CallContext): Promise<string | undefined>;
  /** Takes up work that was left undone before. */
  start(): void;
  /** Webhooks that have something to be delivered, for how many milliseconds the longest of them, and bytes being sent. */
  backlog(): Backlog;
  /** Resolves when none of its executors is at work. */
  idle(): Promise<void>;
  /**
   * Stops its executors; tasks keep the state that they have. Then sends what webhooks can still get.
   * @param milliseconds for what webhooks can still get; the option `push.drain` is another bound
   */
  close(milliseconds: number): Promise<void>;
}

/** How an agent is opened. */
export interface OpenAgentOptions
  extends Omit<EngineOptions, "agent" | "extensions" | "leases" | "pushConfigs"> {
  /** Name of the agent in the store. */
  readonly name: string;
  /** Push notifications, when they are on. They are of no meaning for an agent with a handler of its own. */
  readonly push?: Pick<OpenPushOptions, "options" | "codecs">;
}

const done = Promise.resolve();
const empty: Backlog = Object.freeze({ depth: 0, age: 0, bytes: 0 });
const nothing = (): void => undefined;

/**
 * Opens an agent: its own handler, or an engine that runs its executor.
 * @throws TypeError when the agent asks for what the store cannot do
 */
export function openAgent(agent: Agent, { push: parts, ...options }: OpenAgentOptions): OpenAgent {
  if ("handler" in agent) {
    const { handler } = agent;
    const idle = () => done;
    return { handler, trusted: false, ready: done, start: nothing, backlog: () => empty, idle, close: idle };
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
    backlog: () => push?.outbox.backlog() ?? empty,
    idle: () => engine.idle(),
    async close(milliseconds) {
      const end = performance.now() + milliseconds;
      await engine.close();
      await push?.close(Math.max(end - performance.now(), 0));
    },
  };
}
