import { timeoutOf } from "../async/clock.js";
import type { Command, CommandCall } from "./command.js";
import { helpOf, helpOfAll, versionCommand } from "./commands/tool.js";
import { commands } from "./commands.js";
import { hasCredentials } from "./connect-agent.js";
import { Diagnostics } from "./diagnostics.js";
import { readEnvFiles, secretVariables } from "./env-file.js";
import { exits, Failure, failureOf } from "./failure.js";
import { globalOptions } from "./options.js";
import { CommandOutput, type Io, styleIn } from "./output.js";
import { type CommandLine, checkWords, parseCommandLine } from "./parse-command-line.js";
import { Values } from "./values.js";

/**
 * Runs one command line: payload to `io.out`, everything else to `io.err`.
 * @param line the arguments after the program's name
 * @returns the exit code
 */
export async function run(line: readonly string[], io: Io): Promise<number> {
  let parsed: CommandLine;
  try {
    parsed = parseCommandLine(line, commands);
  } catch (error) {
    return refuse(error, line, io);
  }
  const { command, group, flags } = parsed;
  try {
    if (flags.has("version")) return await perform(versionCommand, { ...parsed, words: [] }, io);
    if (command !== undefined) return await perform(command, parsed, io);
    const isAsked = flags.has("help");
    (isAsked ? io.out : io.err)(helpOfAll(group.length > 0 ? group : commands));
    return isAsked ? exits.done : exits.usage;
  } catch (error) {
    return refuse(error, line, io);
  }
}

/** Reports a failure before the options are known. The raw arguments and the environment decide whether the output is JSON. */
function refuse(error: unknown, line: readonly string[], io: Io): number {
  const at = line.findIndex((word) => word === "-o" || word === "--output");
  const given = at < 0 ? line.find((word) => /^(-o|--output=)/.test(word)) : line[at + 1];
  const isJson = (given ?? io.env.A2ACLI_OUTPUT ?? "").endsWith("json");
  const output = new CommandOutput(io, { isJson, isStream: line.includes("--stream"), isVerbose: false });
  const notes = new Diagnostics(io, { isDebug: false, secrets: [] });
  return report(failureOf(error, { hasCredentials: false }), output, notes);
}

async function perform(command: Command, parsed: CommandLine, io: Io): Promise<number> {
  const { flags, words, parts } = parsed;
  const secrets = secretVariables(commands.flatMap(({ options }) => options));
  const files = readEnvFiles(io, flags.get("config")?.at(-1), secrets);
  const options = [...globalOptions, ...command.options];
  const values = new Values(options, flags, [{ variables: io.env }, ...files.sources]);
  if (values.isOn("help")) {
    io.out(helpOf(command, values));
    return exits.done;
  }
  const output = new CommandOutput(io, styleIn(values));
  const notes = new Diagnostics(io, { isDebug: values.isOn("debug"), secrets: values.secrets() });
  for (const text of files.warnings) notes.warn(text);
  const limit = new TimeLimit(io.signal);
  try {
    checkWords(command, words);
    if (command.showsFaults !== true) for (const option of options) values.check(option);
    limit.start(values.seconds("timeout"));
    const call: CommandCall = {
      ...{ command, commands, words, parts, values, io, output, notes },
      signal: limit.signal,
    };
    await command.run(call);
    return exits.done;
  } catch (error) {
    notes.clearProgress();
    const failure = failureOf(error, { hasCredentials: hasCredentials(values) });
    if (failure.code === "A2ACLI_ERR_INTERNAL" && error instanceof Error) notes.debug(String(error.stack));
    return report(failure, output, notes);
  } finally {
    limit.close();
  }
}

function report(failure: Failure, output: CommandOutput, notes: Diagnostics): number {
  if (!failure.isShown) output.failure(failure, (text) => notes.redact(text));
  notes.error(`${failure.message} (${failure.code})`);
  if (failure.hint !== undefined) notes.hint(failure.hint);
  return failure.exit;
}

/** `--timeout` and Ctrl+C as one signal. Its reason is the failure to report. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #interrupt = (): void =>
    this.#controller.abort(new Failure("PARLEY_ERR_INTERRUPTED", "Interrupted"));
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#interrupt();
    else outer.addEventListener("abort", this.#interrupt);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(seconds: number | undefined): void {
    if (seconds === undefined) return;
    const expire = (): void =>
      this.#controller.abort(
        new Failure("A2ACLI_ERR_TIMEOUT", `--timeout: not finished within ${seconds} seconds`),
      );
    this.#timer = setTimeout(expire, timeoutOf(seconds * 1000));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#interrupt);
  }
}
