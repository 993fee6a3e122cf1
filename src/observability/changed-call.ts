import type { CallContext } from "../call.js";
import { readTrace } from "../trace-context.js";

/**
 * A call of which some members are other than they were. The others are asked for when they are needed, as they may cost
 * something. Other headers bring the trace context that is in them.
 */
export function changedCall(call: CallContext, changes: Partial<CallContext>): CallContext {
  const { headers } = changes;
  const trace = headers === undefined ? undefined : readTrace(headers);
  const all = trace === undefined ? changes : { trace, ...changes };
  return new Proxy(call, {
    // The call itself as receiver: its members may be getters that know no other object.
    get: (target, member) => (member in all ? Reflect.get(all, member) : Reflect.get(target, member, target)),
    has: (target, member) => member in all || member in target,
  });
}
