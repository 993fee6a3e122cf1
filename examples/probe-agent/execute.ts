import {
  artifact,
  completed,
  type ExecutionContext,
  inputRequired,
  type Reply,
  type Update,
  working,
} from "a2a-parley";
import { type Command, commands } from "./commands.js";
import { prefixes } from "./conformance.js";
import { perform, type Script } from "./script.js";

/** The probe agent's executor: what it does is steered by a script if there is one, by the message id, then by the text. */
export function execute(
  context: ExecutionContext,
  script: Script = {},
): AsyncGenerator<Update, Reply | void> {
  const { message, task } = context;
  const text = message.parts.find((part) => part.text !== undefined)?.text ?? "";
  const lines = Object.hasOwn(script, text) ? script[text] : undefined;
  if (lines) return perform(lines, context);
  const steered = longest(prefixes, message.messageId);
  if (steered) return steered.command(context, text);
  if (task) return followUp(context, text);
  const found = longest(commands, text);
  const exact = found && (text.length === found.name.length || text[found.name.length] === " ");
  if (exact) return found.command(context, text.slice(found.name.length + 1));
  return echo(context, text);
}

/** The answer to the question of `ask`. */
async function* followUp(_context: ExecutionContext, text: string): AsyncGenerator<Update, void> {
  const choice = /^answer (.*)$/s.exec(text)?.[1];
  if (choice === undefined) {
    yield inputRequired("Which one?");
    return;
  }
  yield working();
  yield artifact({ name: "choice" }).text(`You chose ${choice}`);
  yield completed();
}

const echo: Command = async function* (_context, text) {
  yield { message: { parts: [{ text: `echo: ${text}` }] } };
};

/** The row with the longest name that the text begins with. */
function longest(table: Readonly<Record<string, Command | undefined>>, text: string) {
  let best: { readonly name: string; readonly command: Command } | undefined;
  for (const [name, command] of Object.entries(table)) {
    if (command && text.startsWith(name) && name.length > (best?.name.length ?? 0)) best = { name, command };
  }
  return best;
}
