import { callHook } from "./hook.js";
import { type Logger, silent } from "./logger.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/**
 * The application's logger as the library calls it: it cannot fail. What it throws, or rejects with, is told once on stderr; the
 * line is lost.
 */
export function safeLogger(logger: Logger): Logger {
  if (logger === silent) return logger;
  let isTold = false;
  const failed = ({ message }: Error) => {
    if (isTold) return;
    isTold = true;
    process.stderr.write(`a2a-parley: the logger fails, lines are lost: ${message}\n`);
  };
  const methods = LEVELS.map((level): [string, Logger["info"]] => [
    level,
    (facts, text) => void callHook({ call: () => logger[level](facts, text) }, failed),
  ]);
  return Object.fromEntries(methods) as Record<(typeof LEVELS)[number], Logger["info"]>;
}
