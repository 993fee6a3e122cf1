import { callHook } from "../async/hook.js";
import type { Logger } from "../protocol/logger.js";
import type { TraceContext } from "../protocol/trace-context.js";
import type { Attributes, Span, SpanFailure, Telemetry } from "./telemetry.js";

/** Calls a method of the telemetry. A failure is logged, and `instead` is returned. */
type Guard = <Result>(method: string, call: () => Result, instead: Result) => Result;

/** Wraps the application's telemetry so that neither its methods nor its spans can fail. */
export function guardedTelemetry(telemetry: Telemetry, logger: Logger): Telemetry {
  const guard: Guard = (method, call, instead) => {
    const failed = (err: Error) => {
      logger.error({ err, hook: `telemetry.${method}` }, "A hook failed");
      return instead;
    };
    // A promise can only come from a method that should return nothing, so it is ignored, and the cast is safe.
    return callHook({ call }, failed) as typeof instead;
  };
  return {
    begin: (name, start) => {
      const span = guard("begin", () => telemetry.begin(name, start), undefined);
      return new GuardedSpan(span, guard);
    },
    count: (counter, attributes) => guard("count", () => telemetry.count(counter, attributes), undefined),
    time: (name, seconds, attributes) =>
      guard("time", () => telemetry.time(name, seconds, attributes), undefined),
    observe: (read) => {
      const end = guard("observe", () => telemetry.observe(read), undefined);
      return () => guard("observe", () => end?.(), undefined);
    },
  };
}

class GuardedSpan implements Span {
  readonly trace: TraceContext | undefined;
  readonly #span: Span | undefined;
  readonly #guard: Guard;

  constructor(span: Span | undefined, guard: Guard) {
    this.#span = span;
    this.#guard = guard;
    this.trace = guard("span.trace", () => span?.trace, undefined);
  }

  /**
   * The function is called exactly once, whatever the span does. An error of the function is rethrown and not counted
   * as a failure of the span.
   */
  run<Result>(body: () => Result): Result {
    let outcome: Outcome<Result> | undefined;
    const once = (): void => {
      outcome ??= outcomeOf(body);
    };
    this.#guard("span.run", () => this.#span?.run(once), undefined);
    outcome ??= outcomeOf(body);
    const { result, thrown } = outcome;
    if (thrown !== undefined) throw thrown.value;
    return result as Result;
  }

  annotate(attributes: Attributes): void {
    this.#guard("span.annotate", () => this.#span?.annotate(attributes), undefined);
  }

  end(failure?: SpanFailure): void {
    this.#guard("span.end", () => this.#span?.end(failure), undefined);
  }
}

/** The result of a call. */
interface Outcome<Result> {
  readonly result?: Result;
  readonly thrown?: { readonly value: unknown };
}

function outcomeOf<Result>(body: () => Result): Outcome<Result> {
  try {
    return { result: body() };
  } catch (value) {
    return { thrown: { value } };
  }
}
