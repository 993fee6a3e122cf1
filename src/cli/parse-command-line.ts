import { parseArgs } from "node:util";
import { type Command, nameOf } from "./command.js";
import { usage } from "./failure.js";
import { globalOptions, type Option, type PartFlag } from "./options.js";

/** A parsed command line. */
export interface CommandLine {
  /** Undefined when no command is named. */
  readonly command: Command | undefined;
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly PartFlag[];
}

/** Options whose order matters. */
const PARTS = ["text", "file", "data", "media-type"];

/**
 * Parses a command line. Options may be anywhere; words after `--` are arguments.
 * @throws Failure for unknown commands and options
 */
export function parseCommandLine(line: readonly string[], commands: readonly Command[]): CommandLine {
  const all = [...globalOptions, ...commands.flatMap(({ options }) => options)];
  const tokens = tokensOf(line, all);
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token] : []));
  const flags = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "option")
      flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? "true"]);
  }
  const found = findCommand(
    words.map(({ value }) => value),
    commands,
  );
  if (found === undefined && words.length > 0)
    throw unknown(
      words.map(({ value }) => value),
      commands,
    );
  const rest = words.slice(found?.length ?? 0);
  const first = rest[0]?.index;
  const parts = tokens.flatMap((token): PartFlag[] => {
    if (token.kind === "positional" && token.index === first) return [{ flag: "text", value: token.value }];
    if (token.kind !== "option" || !PARTS.includes(token.name) || token.value === undefined) return [];
    return [{ flag: token.name as PartFlag["flag"], value: token.value }];
  });
  const command = found?.command;
  if (command !== undefined) refuseForeign(command, [...flags.keys()]);
  return { command, words: rest.map(({ value }) => value), flags, parts };
}

function tokensOf(line: readonly string[], all: readonly Option[]) {
  const options = Object.fromEntries(
    all.map(({ name, short, takes }) => [
      name,
      { type: takes === undefined ? "boolean" : "string", multiple: true, ...(short && { short }) } as const,
    ]),
  );
  try {
    return parseArgs({ args: [...line], options, allowPositionals: true, tokens: true }).tokens;
  } catch (error) {
    // Node's message continues with advice. Its first sentence says what is wrong.
    const [message = ""] = (error as Error).message.split(/\. |\n/);
    throw usage(message, "`parley help` lists commands, `parley <command> --help` their options");
  }
}

function findCommand(words: readonly string[], commands: readonly Command[]) {
  const names = commands.flatMap((command) =>
    [command.path, ...(command.aliases ?? [])].map((path) => ({ command, path })),
  );
  const fitting = names.filter(({ path }) => path.every((word, index) => words[index] === word));
  const [best] = fitting.sort((one, other) => other.path.length - one.path.length);
  return best && { command: best.command, length: best.path.length };
}

function unknown(words: readonly string[], commands: readonly Command[]) {
  const below = commands.filter(({ path }) => path[0] === words[0]).map(nameOf);
  const hint = below.length > 0 ? `there are: ${below.join(", ")}` : "`parley help` lists the commands";
  return usage(`There is no command "${words.slice(0, below.length > 0 ? 2 : 1).join(" ")}"`, hint);
}

function refuseForeign(command: Command, given: readonly string[]): void {
  const own = [...globalOptions, ...command.options].map(({ name }) => name);
  const foreign = given.find((name) => !own.includes(name));
  if (foreign === undefined) return;
  const name = nameOf(command);
  throw usage(`${name} has no option --${foreign}`, `\`parley ${name} --help\` lists its options`);
}

/**
 * Checks that the arguments are those of the command.
 * @throws Failure
 */
export function checkWords(command: Command, words: readonly string[]): void {
  const missing = command.args.find(({ optional }, index) => !optional && words[index] === undefined);
  const name = nameOf(command);
  if (missing !== undefined)
    throw usage(`${name} needs <${missing.name}>`, `\`parley ${name} --help\` shows how`);
  const surplus = words[command.args.length];
  if (surplus === undefined) return;
  throw usage(`${name} has no argument "${surplus}"`, "put text with spaces into quotes");
}
