import type { AgentDefinition } from "../../agent/define-agent.js";
import type { Clock } from "../../async/clock.js";
import type { Deadlines } from "../../async/deadlines.js";
import type { Observer } from "../../observability/observer.js";
import type { Logger } from "../../protocol/logger.js";
import type { ExtensionRules } from "../extension-rules.js";
import type { ExecutionLease } from "../leases/execution-lease.js";
import type { TaskLog } from "../task-log.js";

/** What an execution needs from its surroundings. */
export interface ExecutionDeps {
  readonly agent: AgentDefinition;
  readonly extensions?: ExtensionRules;
  /** The log that it writes; it belongs to this execution alone. */
  readonly log: TaskLog;
  readonly contextId: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Makes ids that nobody has had. */
  readonly newId: () => string;
  /** Under which the log is written; without one any other writer ends the execution. */
  readonly tenure?: ExecutionLease | undefined;
  /** How long an executor may work on a message; without it as long as it likes. */
  readonly deadlines?: Deadlines | undefined;
  readonly observer?: Observer | undefined;
}
