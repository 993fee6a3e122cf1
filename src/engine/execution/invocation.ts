import type { Metadata } from "../../agent/updates.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Message, Task } from "../../protocol/model.js";

/** A message that the executor is to answer, and what the request said beside it. */
export interface Invocation {
  readonly message: Message;
  readonly metadata: Metadata;
  readonly acceptedOutputModes: readonly string[];
  readonly referencedTasks: readonly Task[];
  readonly call: CallContext;
}
