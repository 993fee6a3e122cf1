import { runtime } from "#runtime";
import type { Logger } from "../protocol/logger.js";

/** Maximum length of one fact, in characters. */
const MAX_FACT = 200;
/** Maximum length of the report of an error, in characters. */
const MAX_ERROR = 8000;

/** Control characters except tab and line break: a caller's text must not move the cursor of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The logger of a server whose options have none: writes warnings and errors to stderr for people to read, and drops the rest. An
 * error follows its line, with its stack and causes.
 *
 * ```text
 * 12:04:05 ERROR The executor failed taskId="3f2c"
 *   TypeError: fetch failed
 *       at execute (/app/agent.ts:12:9)
 * ```
 */
export function stderrLogger(): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (facts, text) => write("WARN ", facts, text),
    error: (facts, text) => write("ERROR", facts, text),
    isLevelEnabled: (level) => level === "warn" || level === "error",
  };
}

function write(level: string, facts: object, text: string): void {
  const { err, ...others } = facts as { readonly err?: unknown };
  const members = Object.entries(others).map(([name, value]) => ` ${name}=${short(value)}`);
  const time = new Date().toTimeString().slice(0, "hh:mm:ss".length);
  runtime.writeError(`${time} ${level} ${readable(text)}${members.join("")}\n${report(err)}`);
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return readable(text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}…` : text);
}

/** An error with its stack and its causes, indented below its line. */
function report(err: unknown): string {
  if (err === undefined) return "";
  const text = runtime.inspect(err).slice(0, MAX_ERROR);
  return `${readable(text).replace(/^/gm, "  ")}\n`;
}

function readable(text: string): string {
  return text.replace(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
