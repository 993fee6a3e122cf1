import type { ExecutionContext, Executor } from "../agent/executor.js";
import type { Reply, Update } from "../agent/updates.js";
import type { Span, Telemetry } from "./telemetry.js";

type Updates = AsyncIterator<Update, Reply | undefined>;

/** Wraps every run of an executor in a span. Spans that the executor starts are its children. */
export function tracedExecutor(execute: Executor, agent: string, telemetry: Telemetry): Executor {
  const traced: Executor = (context) => {
    const span = begin(telemetry, agent, context);
    try {
      const answer = span.run(() => execute(context));
      if (Symbol.asyncIterator in answer) return new TracedRun(answer, span);
      if (answer instanceof Promise) return answer.then(...ends<Reply | void>(span));
      span.end();
      return answer;
    } catch (thrown) {
      span.end(FAILED);
      throw thrown;
    }
  };
  return execute.tasks === undefined ? traced : Object.assign(traced, { tasks: execute.tasks });
}

/** An error text of the executor belongs in the log only. */
const FAILED = { code: "EXECUTOR_FAILED" };

function begin(telemetry: Telemetry, agent: string, { taskId, contextId, call }: ExecutionContext): Span {
  return telemetry.begin("a2a.execution", {
    kind: "internal",
    parent: call.trace,
    attributes: { "a2a.agent": agent, "a2a.task.id": taskId, "a2a.context.id": contextId },
  });
}

function ends<Value>(span: Span): [(value: Value) => Value, (thrown: unknown) => never] {
  return [
    (value) => {
      span.end();
      return value;
    },
    (thrown) => {
      span.end(FAILED);
      throw thrown;
    },
  ];
}

/** The updates of a run; each is requested within the span. */
class TracedRun implements AsyncIterable<Update> {
  readonly #answer: AsyncIterable<Update>;
  readonly #span: Span;
  #over = false;

  constructor(answer: AsyncIterable<Update>, span: Span) {
    this.#answer = answer;
    this.#span = span;
  }

  [Symbol.asyncIterator](): Updates {
    const updates: Updates = this.#answer[Symbol.asyncIterator]();
    const { throw: refuse, return: leave } = updates;
    return {
      next: () => this.#step(() => updates.next()),
      ...(refuse && { throw: (error: unknown) => this.#step(() => refuse.call(updates, error)) }),
      ...(leave && {
        return: () => {
          this.#end();
          return leave.call(updates);
        },
      }),
    };
  }

  async #step(ask: () => Promise<IteratorResult<Update, Reply | undefined>>) {
    try {
      const result = await this.#span.run(ask);
      if (result.done) this.#end();
      return result;
    } catch (thrown) {
      this.#end(FAILED);
      throw thrown;
    }
  }

  #end(failure?: typeof FAILED): void {
    if (this.#over) return;
    this.#over = true;
    this.#span.end(failure);
  }
}
