import type { Diagnostics } from "./diagnostics.js";
import type { Option, PartFlag } from "./options.js";
import type { CommandOutput, Io } from "./output.js";
import type { Values } from "./values.js";

/** One argument after the verb. */
export interface Argument {
  readonly name: string;
  readonly optional?: true;
  readonly help: string;
}

/** A verb of the command line. Help, completion and parsing are made of these. */
export interface Command {
  /** The words that name it, and other words for the same. */
  readonly path: readonly string[];
  readonly aliases?: readonly (readonly string[])[];
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples?: readonly string[];
  /** Does the job, or throws why it cannot be done. */
  run(call: CommandCall): Promise<void>;
}

/** One call of a command. */
export interface CommandCall {
  readonly command: Command;
  /** All commands there are. */
  readonly commands: readonly Command[];
  /** Arguments, in the order of `Command.args`. */
  readonly words: readonly string[];
  /** Flags that make up a message, in the order in which they were given. */
  readonly parts: readonly PartFlag[];
  readonly values: Values;
  readonly io: Io;
  readonly output: CommandOutput;
  readonly notes: Diagnostics;
  /** Ends the call: Ctrl+C, or `--timeout`. */
  readonly signal: AbortSignal;
}

/** The words of a command's name as one text. */
export function nameOf(command: Command): string {
  return command.path.join(" ");
}
