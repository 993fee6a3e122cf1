import type { AgentDefinition } from "../agent/define-agent.js";
import type { Logger } from "../logger.js";
import type { Observer } from "../observability/observer.js";
import type { Clock } from "../stores/clock.js";
import type { Deadlines } from "./deadlines.js";
import type { ExtensionRules } from "./extension-rules.js";
import type { TaskLog } from "./task-log.js";
import type { Tenure } from "./tenure.js";

/** What an execution needs from its surroundings. */
export interface Surroundings {
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
  readonly tenure?: Tenure | undefined;
  /** How long an executor may work on a message; without it as long as it likes. */
  readonly deadlines?: Deadlines | undefined;
  readonly observer?: Observer | undefined;
}
