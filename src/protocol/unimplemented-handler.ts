import { A2AError } from "./errors.js";
import { type A2AHandler, handlerMethod, operations } from "./operations.js";

async function refuse(): Promise<never> {
  throw new A2AError("UNSUPPORTED_OPERATION");
}

async function* refuseStream(): AsyncGenerator<never> {
  yield await refuse();
}

type HandlerClass = new <Call = unknown>() => A2AHandler<Call>;

function refusingHandler(): HandlerClass {
  class RefusingHandler {}
  const methods = operations.map((row) => [handlerMethod(row), row.streaming ? refuseStream : refuse]);
  Object.assign(RefusingHandler.prototype, Object.fromEntries(methods));
  return RefusingHandler as HandlerClass;
}

/**
 * Refuses every operation with `UNSUPPORTED_OPERATION`; extend it to implement some of them. A stream is refused when
 * it is first read.
 *
 * @example
 * ```ts
 * class Reader extends UnimplementedHandler<CallContext> {
 *   override async getTask({ id }: GetTaskRequest): Promise<Task> {
 *     return await tasks.read(id);
 *   }
 * }
 * ```
 */
export const UnimplementedHandler: HandlerClass = /* @__PURE__ */ refusingHandler();
