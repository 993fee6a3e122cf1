import type { AgentDefinition } from "../agent/define-agent.js";
import type { Clock } from "../async/clock.js";
import type { Deadlines } from "../async/deadlines.js";
import type { Patience } from "../async/hook.js";
import type { Observer } from "../observability/observer.js";
import type { Logger } from "../protocol/logger.js";
import type { AgentCard } from "../protocol/model.js";
import type { Lease } from "../stores/lease-store.js";
import type { SendLedger } from "../stores/send-ledger.js";
import type { TaskStore } from "../stores/task-store.js";
import type { Places } from "./execution/executions.js";
import type { ExtensionRules } from "./extension-rules.js";
import type { Leases } from "./leases/leases.js";
import type { PushOperationsOptions } from "./operations/push-configs.js";

/** What an engine is made of. */
export interface EngineOptions extends PushOperationsOptions {
  readonly agent: AgentDefinition;
  /** The card as served: its capabilities are enforced, and its input modes when the agent's author has declared any. */
  readonly card: AgentCard;
  /** The public card as a caller sees it who reaches the agent at a URL. */
  readonly cardAt: (agentUrl: string) => AgentCard;
  /** Checks the data of the agent's extensions; absent when it has none. */
  readonly extensions?: ExtensionRules;
  readonly store: TaskStore & Partial<SendLedger>;
  /** Names this process in the store, and how long others leave its work alone when it is not heard of. */
  readonly lease: Lease;
  /** Leases on the agent's tasks; without them no other process shares the store. */
  readonly leases?: Leases | undefined;
  readonly logger: Logger;
  /** How long functions of the agent are waited for that decide about a request; without it as long as they like. */
  readonly patience?: Patience | undefined;
  readonly clock: Clock;
  /** Makes ids that nobody has had. */
  readonly newId: () => string;
  /** Bytes of a name that a caller chooses; without it any number. */
  readonly maxName?: number;
  /** Bytes of the tasks on a page of a list; without it any number. */
  readonly maxPage?: number;
  /** Messages that a task may have; without it any number. */
  readonly maxHistory?: number;
  /** Without them any number of executors may be at work, each for as long as it likes. */
  readonly places?: Places;
  readonly deadlines?: Deadlines | undefined;
  readonly observer?: Observer | undefined;
}
