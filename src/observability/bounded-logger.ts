import { runtime } from "#runtime";
import { inBackground } from "../async/clock.js";
import { callHook } from "../async/hook.js";
import { type Logger, silent } from "../protocol/logger.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** Wraps the application's logger so that it cannot fail. A line whose write fails is lost; the first such error is reported on stderr. */
export function safeLogger(logger: Logger): Logger {
  if (logger === silent) return logger;
  let isReported = false;
  const failed = ({ message }: Error) => {
    if (isReported) return;
    isReported = true;
    runtime.writeError(`a2a-parley: the logger fails, lines are lost: ${message}\n`);
  };
  const methods = LEVELS.map((level): [string, Logger["info"]] => [
    level,
    (facts, text) => void callHook({ call: () => logger[level](facts, text) }, failed),
  ]);
  const safe = Object.fromEntries(methods) as Record<(typeof LEVELS)[number], Logger["info"]>;
  if (logger.isLevelEnabled === undefined) return safe;
  const assumeEnabled = (error: Error) => {
    failed(error);
    return true;
  };
  const ask = (level: (typeof LEVELS)[number]) =>
    callHook({ call: () => logger.isLevelEnabled?.(level) }, assumeEnabled);
  const isLevelEnabled: Logger["isLevelEnabled"] = (level) => {
    // Called for each request, so no closure is created for a logger that returns a boolean.
    try {
      const isEnabled: unknown = logger.isLevelEnabled?.(level);
      if (typeof isEnabled === "boolean") return isEnabled;
    } catch {
      // Called again below, where the error is reported.
    }
    return ask(level) !== false;
  };
  return { ...safe, isLevelEnabled };
}

/** Limits of the library's log. */
interface LogBounds {
  /** Warnings and errors per text and minute. */
  readonly lines: number;
  /** Called for each dropped line. */
  readonly dropped?: (() => void) | undefined;
}

const MINUTE_MS = 60_000;

/** Maximum number of texts with a counter of their own; the library has a few dozen. Further texts share one counter. */
const MAX_TEXTS = 1000;

/** The unbounded logger of each bounded one. */
const unbounded = new WeakMap<Logger, Logger>();

/**
 * A logger for the library's own lines, with a limit of warnings and errors per text and minute, because callers can
 * cause any number of them. A minute begins with the first line of a text. One minute after the first line that is dropped, a
 * warning says how many were.
 */
export function boundedLogger(logger: Logger, { lines, dropped }: LogBounds): Logger {
  if (logger === silent) return logger;
  const minutes = new Map<string, { readonly end: number; lines: number }>();
  const admits = (text: string): boolean => {
    const now = performance.now();
    const key = minutes.has(text) || minutes.size < MAX_TEXTS ? text : "";
    const known = minutes.get(key);
    const minute = known && known.end > now ? known : { end: now + MINUTE_MS, lines: 0 };
    minutes.set(key, minute);
    minute.lines += 1;
    if (minute.lines <= lines) return true;
    dropped?.();
    if (minute.lines === lines + 1) {
      const reportDropped = () =>
        logger.warn({ text: key, lines: minute.lines - lines }, "Lines were left out of the log");
      inBackground(setTimeout(reportDropped, MINUTE_MS));
    }
    return false;
  };
  const bounded: Logger = {
    ...logger,
    warn: (facts, text) => admits(text) && logger.warn(facts, text),
    error: (facts, text) => admits(text) && logger.error(facts, text),
  };
  unbounded.set(bounded, logger);
  return bounded;
}

/** The logger for the application's lines, which are not limited. */
export function unboundedLogger(logger: Logger): Logger {
  return unbounded.get(logger) ?? logger;
}
