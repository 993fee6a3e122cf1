import { packageVersion } from "../../runtime/package-version.js";
import { type Command, nameOf } from "../command.js";
import { globalOptions, type Option } from "../options.js";
import type { CommandOutput } from "../output.js";
import { commandsBelow, unknownCommand } from "../parse-command-line.js";
import type { Values } from "../values.js";

/** The help of the whole tool. */
export function helpOfAll(commands: readonly Command[]): string {
  const rows = commands.map((command) => [shown(command), command.summary] as const);
  return [
    "Calls, checks and serves agents that speak A2A.",
    "",
    "Usage: parley <command> [arguments] [options]",
    "",
    "Commands:",
    ...table(rows),
    "",
    "`parley <command> --help` shows the options and their defaults.",
    "",
  ].join("\n");
}

/** The help of a command, with the current values of its options; secrets are not shown. */
export function helpOf(command: Command, values: Values): string {
  const { summary, args, options, examples = [], aliases = [] } = command;
  const own = options.map((option) => row(option, values));
  return [
    `${summary}.`,
    "",
    `Usage: parley ${shown(command)} [options]`,
    ...aliases.map((words) => `Also:  parley ${words.join(" ")}`),
    ...(args.length > 0 ? ["", "Arguments:", ...table(args.map(({ name, help }) => [name, help]))] : []),
    ...(own.length > 0 ? ["", "Options:", ...table(own)] : []),
    "",
    "Options of every command:",
    ...table(globalOptions.map((option) => row(option, values))),
    ...(examples.length > 0 ? ["", "Examples:", ...examples.map((example) => `  ${example}`)] : []),
    "",
    "Settings can also come from environment variables, such as A2ACLI_AGENT_CARD for --agent-card.",
    "",
  ].join("\n");
}

function shown(command: Command): string {
  const args = command.args.map(({ name, optional }) => (optional ? `[${name}]` : `<${name}>`));
  return [nameOf(command), ...args].join(" ");
}

function row(option: Option, values: Values): readonly [string, string] {
  const { name, short, takes, help, many, aliases = [] } = option;
  const head = `${short ? `-${short}, ` : "    "}--${name}${takes ? ` <${takes}>` : ""}`;
  const also = aliases.map((alias) => `also --${alias}`);
  const notes = [...(many ? ["repeatable"] : []), ...also, ...inForce(option, values)];
  return [head, notes.length > 0 ? `${help} (${notes.join("; ")})` : help];
}

/** The value of an option if the flag is omitted. */
function inForce(option: Option, values: Values): string[] {
  const setting = values.setting(option.name);
  if (setting === undefined) return option.otherwise === undefined ? [] : [`default: ${option.otherwise}`];
  if (setting.source === "flag") return [];
  const value = option.secret ? "set" : setting.values.join(", ");
  if (setting.source === "default") return [`default: ${value}`];
  return [`${value}, by ${setting.source}`];
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** `parley version`: prints the version of this package. */
export const versionCommand: Command = {
  path: ["version"],
  summary: "Print the version",
  args: [],
  options: [],
  async run({ output }) {
    printVersion(output);
  },
};

/** Prints the version: an object with `-o json`, else the number alone, which scripts compare. */
function printVersion(output: CommandOutput): void {
  const version = packageVersion();
  if (output.isJson) output.print({ version }, () => undefined);
  else output.raw(`${version}\n`);
}

/** `parley help`: shows all commands, or the help of one. */
export const help: Command = {
  path: ["help"],
  summary: "Show the commands, or the help of one",
  args: [
    { name: "command", optional: true, help: "First word of the command" },
    { name: "verb", optional: true, help: "Second word of the command" },
    { name: "action", optional: true, help: "Third word of the command" },
  ],
  options: [],
  async run({ commands, words, output, values }) {
    if (words.length === 0) return output.raw(helpOfAll(commands));
    const wanted = words.join(" ");
    const only = commands.find(({ path, aliases = [] }) =>
      [path, ...aliases].some((name) => name.join(" ") === wanted),
    );
    if (only !== undefined) return output.raw(helpOf(only, values.with([...globalOptions, ...only.options])));
    const below = commandsBelow(words, commands);
    if (below.length === 0) throw unknownCommand(words, commands);
    return output.raw(helpOfAll(below));
  },
};
