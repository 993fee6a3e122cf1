import { readFileSync } from "node:fs";
import {
  artifact,
  authRequired,
  completed,
  type ExecutionContext,
  inputRequired,
  type Update,
  working,
} from "a2a-parley";

/** One thing that the agent does, and the words for it. */
type Line = readonly [kind: string, ...words: string[]];

/** What the agent does in a conversation, by the text of the message. */
export type Script = Readonly<Record<string, readonly Line[]>>;

/** Reads a script from a JSON file; without a name there is none. */
export function readScript(file: string | undefined): Script {
  return file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
}

type Act = (words: readonly string[], context: ExecutionContext) => Update[] | Promise<Update[]>;

const acts: Readonly<Record<string, Act>> = {
  working: ([text]) => [working(text)],
  inputRequired: ([text = ""]) => [inputRequired(text)],
  authRequired: ([text = ""]) => [authRequired(text)],
  completed: ([text]) => [completed(text)],
  artifact: ([text = ""]) => [artifact().text(text)],
  chunks: (words) => {
    const writer = artifact();
    return words.map((text, at) => writer.text(text, { last: at === words.length - 1 }));
  },
  // Waits until a message arrives, or the task is canceled.
  listen: async (_, { nextMessage }) => {
    await nextMessage();
    return [];
  },
};

/**
 * Performs the lines of the script for a text.
 * @throws Error for a line of an unknown kind
 */
export async function* perform(
  lines: readonly Line[],
  context: ExecutionContext,
): AsyncGenerator<Update, void> {
  for (const [kind, ...words] of lines) {
    const act = acts[kind];
    if (act === undefined) throw new Error(`The script has a line of kind ${kind}`);
    yield* await act(words, context);
  }
}
