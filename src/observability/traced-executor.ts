import type { ExecutionContext, Executor } from "../agent/executor.js";
import type { Reply, Update } from "../agent/updates.js";
import { throwInto } from "../async/throw-into.js";
import { redactedError, redactionFor } from "../auth/redaction.js";
import type { Span, Telemetry } from "./telemetry.js";

type Updates = AsyncIterator<Update, Reply | undefined>;

/**
 * Wraps every run of an executor in a span, and records how long it took. Spans that the executor starts are its children. What it
 * throws is recorded on the span, without the credentials of the caller.
 *
 * @param agent name of the agent on spans and metrics
 */
export function tracedExecutor(execute: Executor, agent: string, telemetry: Telemetry): Executor {
  const traced: Executor = (context) => {
    const run = new TracedRun(context, agent, telemetry);
    try {
      const answer = run.span.run(() => execute(context));
      if (Symbol.asyncIterator in answer) return new TracedUpdates(answer, run);
      if (answer instanceof Promise) return answer.then(run.returned, run.thrown);
      run.end();
      return answer;
    } catch (thrown) {
      return run.thrown(thrown);
    }
  };
  return execute.tasks === undefined ? traced : Object.assign(traced, { tasks: execute.tasks });
}

const FAILED = "EXECUTOR_FAILED";

/** The span and the time of one run. */
class TracedRun {
  readonly span: Span;
  readonly #context: ExecutionContext;
  readonly #agent: string;
  readonly #telemetry: Telemetry;
  readonly #start = performance.now();
  #isOver = false;

  constructor(context: ExecutionContext, agent: string, telemetry: Telemetry) {
    const { taskId, contextId, call } = context;
    this.span = telemetry.begin("a2a.execution", {
      kind: "internal",
      parent: call.trace,
      attributes: { "a2a.agent": agent, "a2a.task.id": taskId, "a2a.context.id": contextId },
    });
    this.#context = context;
    this.#agent = agent;
    this.#telemetry = telemetry;
  }

  readonly returned = <Answer>(answer: Answer): Answer => {
    this.end();
    return answer;
  };

  readonly thrown = (thrown: unknown): never => {
    this.end({ thrown });
    throw thrown;
  };

  /** Ends the span once, whatever is called later. */
  end(failure?: { readonly thrown: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const seconds = (performance.now() - this.#start) / 1000;
    const facts = { "a2a.agent": this.#agent };
    const outcome = failure === undefined ? facts : { ...facts, "error.type": FAILED };
    this.#telemetry.time("a2a.execution.duration", seconds, outcome);
    // The error may repeat the credentials that the caller has sent.
    const exception = failure && redactedError(failure.thrown, redactionFor(this.#context.call));
    this.span.end(failure && { code: FAILED, exception });
  }
}

/** The updates of a run; each is requested within the span. */
class TracedUpdates implements AsyncIterable<Update> {
  readonly #answer: AsyncIterable<Update>;
  readonly #run: TracedRun;

  constructor(answer: AsyncIterable<Update>, run: TracedRun) {
    this.#answer = answer;
    this.#run = run;
  }

  [Symbol.asyncIterator](): Updates {
    const updates: Updates = this.#answer[Symbol.asyncIterator]();
    return {
      next: () => this.#step(() => updates.next()),
      throw: (error: unknown) => this.#step(() => throwInto(updates, error)),
      return: async () => {
        this.#run.end();
        return (await updates.return?.()) ?? { done: true, value: undefined };
      },
    };
  }

  async #step(ask: () => Promise<IteratorResult<Update, Reply | undefined>>) {
    try {
      const result = await this.#run.span.run(ask);
      if (result.done) this.#run.end();
      return result;
    } catch (thrown) {
      return this.#run.thrown(thrown);
    }
  }
}
