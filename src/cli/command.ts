import type { Diagnostics } from "./diagnostics.js";
import type { Option, PartFlag } from "./options.js";
import type { CommandOutput, Io } from "./output.js";
import type { Values } from "./values.js";

/** An argument after the name of a command. */
export interface Argument {
  readonly name: string;
  readonly optional?: true;
  readonly help: string;
}

/** A command. Help, completion and parsing are derived from it. */
export interface Command {
  /** The words of its name. */
  readonly path: readonly string[];
  /** Other names, in words. */
  readonly aliases?: readonly (readonly string[])[];
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples?: readonly string[];
  /** Whether it reports invalid values of options instead of refusing them. */
  readonly showsFaults?: true;
  /** Runs the command; throws if it fails. */
  run(call: CommandCall): Promise<void>;
}

/** One call of a command. */
export interface CommandCall {
  readonly command: Command;
  /** All commands. */
  readonly commands: readonly Command[];
  /** Arguments, in the order of `Command.args`. */
  readonly words: readonly string[];
  /** Flags for the parts of a message, in the order in which they were given. */
  readonly parts: readonly PartFlag[];
  readonly values: Values;
  readonly io: Io;
  readonly output: CommandOutput;
  readonly notes: Diagnostics;
  /** Aborts on Ctrl+C and after `--timeout`. */
  readonly signal: AbortSignal;
}

/** The name of a command as one string. */
export function nameOf(command: Command): string {
  return command.path.join(" ");
}
