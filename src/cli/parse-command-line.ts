import { parseArgs } from "node:util";
import { nearestName } from "../json/unknown-name.js";
import { type Command, nameOf } from "./command.js";
import { type Failure, usage } from "./failure.js";
import { globalOptions, type Option, type PartFlag } from "./options.js";

/** A parsed command line. */
export interface CommandLine {
  /** Undefined when no command is named, or only the first words of several, such as `task`. */
  readonly command: Command | undefined;
  /** The commands whose name begins with the words, when `--help` is given. */
  readonly group: readonly Command[];
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly PartFlag[];
}

/** Options whose order matters. */
const PARTS = ["text", "file", "data", "media-type"];

/**
 * Parses a command line. Options may be anywhere. Words after `--` are arguments. The first argument is also a part of the message.
 * @throws Failure for unknown commands and options
 */
export function parseCommandLine(line: readonly string[], commands: readonly Command[]): CommandLine {
  const all = [...globalOptions, ...commands.flatMap(({ options }) => options)];
  const tokens = tokensOf(line, all, commands);
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token] : []));
  const texts = words.map(({ value }) => value);
  const flags = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "option")
      flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? "true"]);
  }
  const found = findCommand(texts, commands);
  const group = found === undefined && flags.has("help") ? commandsBelow(texts, commands) : [];
  if (found === undefined && words.length > 0 && group.length === 0) throw unknownCommand(texts, commands);
  const rest = words.slice(found?.length ?? 0);
  const first = rest[0]?.index;
  const parts = tokens.flatMap((token): PartFlag[] => {
    if (token.kind === "positional" && token.index === first) return [{ flag: "text", value: token.value }];
    if (token.kind !== "option" || !PARTS.includes(token.name) || token.value === undefined) return [];
    return [{ flag: token.name as PartFlag["flag"], value: token.value }];
  });
  const command = found?.command;
  if (command !== undefined) refuseForeignOptions(command, [...flags.keys()]);
  return { command, group, words: rest.map(({ value }) => value), flags, parts };
}

function tokensOf(line: readonly string[], all: readonly Option[], commands: readonly Command[]) {
  const options = Object.fromEntries(
    all.flatMap(({ name, aliases = [], short, takes }) => {
      const type = takes === undefined ? "boolean" : "string";
      const own = [name, { type, multiple: true, ...(short && { short }) }] as const;
      return [own, ...aliases.map((alias) => [alias, { type, multiple: true }] as const)];
    }),
  );
  const names = new Map(all.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])));
  try {
    const { tokens } = parseArgs({ args: [...line], options, allowPositionals: true, tokens: true });
    return tokens.map((token) =>
      token.kind === "option" ? { ...token, name: names.get(token.name) ?? token.name } : token,
    );
  } catch (error) {
    // Only the first sentence of Node's message names the fault. The others give advice that does not fit here.
    const [message = ""] = (error as Error).message.split(/\. |\n/);
    const [, flag] = /^Unknown option '(-[^']+)'/.exec(message) ?? [];
    throw flag === undefined ? usage(message, HELP) : unknownFlag(flag, line, commands);
  }
}

const HELP = "`parley help` lists commands, `parley <command> --help` their options";

/** The failure of a flag that no command has, with the nearest one of the command in the line. */
function unknownFlag(flag: string, line: readonly string[], commands: readonly Command[]): Failure {
  const command = findCommand(
    line.filter((word) => !word.startsWith("-")),
    commands,
  )?.command;
  const known = command === undefined ? commands.flatMap(({ options }) => options) : command.options;
  const names = [...known, ...globalOptions].map(({ name }) => `--${name}`);
  // Node reads -stream as -s -t -r and so on, and reports -s.
  const typed = flag.startsWith("--") ? flag : line.find((word) => /^-\w{2}/.test(word));
  const meant = typed && nearestName(typed.replace(/^-*/, "--").replace(/=.*/, ""), names);
  const what = `There is no option ${typed ?? flag}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  return usage(what, command === undefined ? HELP : `\`parley ${nameOf(command)} --help\` lists its options`);
}

function findCommand(words: readonly string[], commands: readonly Command[]) {
  const fitting = namesOf(commands).filter(({ path }) => path.every((word, index) => words[index] === word));
  const [best] = fitting.sort((one, other) => other.path.length - one.path.length);
  return best && { command: best.command, length: best.path.length };
}

function namesOf(commands: readonly Command[]) {
  return commands.flatMap((command) =>
    [command.path, ...(command.aliases ?? [])].map((path) => ({ command, path })),
  );
}

/** The commands whose name begins with the words. */
export function commandsBelow(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  const found = namesOf(commands).filter(
    ({ path }) => words.length < path.length && words.every((word, index) => path[index] === word),
  );
  return words.length === 0 ? [] : found.map(({ command }) => command);
}

/**
 * The failure of words that name no command, with the nearest name. Words after a name may be its arguments, so names of one, two and
 * three words are compared with as many.
 */
export function unknownCommand(words: readonly string[], commands: readonly Command[]): Failure {
  const below = commandsBelow(words.slice(0, 1), commands).map(nameOf);
  const given = words.slice(0, below.length > 0 ? 2 : 1).join(" ");
  const names = namesOf(commands).map(({ path }) => path);
  const meant = [3, 2, 1].flatMap((length) => {
    const same = names.flatMap((path) => (path.length < length ? [] : path.slice(0, length).join(" ")));
    return (words.length >= length && nearestName(words.slice(0, length).join(" "), same)) || [];
  });
  const hint = below.length > 0 ? `there are: ${below.join(", ")}` : "`parley help` lists the commands";
  // The first word of several commands is none itself, and its hint lists them.
  const [nearest] = meant.filter((name) => !`${given} `.startsWith(`${name} `));
  const question = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  return usage(`There is no command "${given}"${question}`, hint);
}

/** @throws Failure for an option of another command */
function refuseForeignOptions(command: Command, given: readonly string[]): void {
  const own = [...globalOptions, ...command.options].map(({ name }) => name);
  const foreign = given.find((name) => !own.includes(name));
  if (foreign === undefined) return;
  const name = nameOf(command);
  throw usage(`${name} has no option --${foreign}`, `\`parley ${name} --help\` lists its options`);
}

/**
 * Checks that all required arguments are there, and no further ones.
 * @throws Failure
 */
export function checkWords(command: Command, words: readonly string[]): void {
  const missing = command.args.find(({ optional }, index) => !optional && words[index] === undefined);
  const name = nameOf(command);
  if (missing !== undefined)
    throw usage(`${name} needs <${missing.name}>`, `\`parley ${name} --help\` shows how`);
  const surplus = words[command.args.length];
  if (surplus === undefined) return;
  const agent = words.find((word) => ADDRESS.test(word));
  const hint =
    agent === undefined
      ? "put text with spaces into quotes"
      : `name the agent with \`--agent-card ${agent}\`, or in the variable A2ACLI_AGENT_CARD`;
  throw usage(`${name} has no argument "${surplus}"`, hint);
}

/** What people write for an agent: a URL, or a host with its port. */
const ADDRESS = /^(https?:\/\/\S+|[\w.-]+:\d+)$/;
