import type { Metadata } from "../agent/updates.js";
import type { CallContext } from "../call.js";
import type { Message, Task } from "../model.js";

/** A message that the executor is to answer, and what the request said beside it. */
export interface Turn {
  readonly message: Message;
  readonly metadata: Metadata;
  readonly acceptedOutputModes: readonly string[];
  readonly referencedTasks: readonly Task[];
  readonly call: CallContext;
}
