import { createInterface } from "node:readline";
import { Readable } from "node:stream";

/** A prompt for a language model. */
export interface Prompt {
  /** Role in which the model answers. */
  readonly role: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** A language model: takes a prompt, and yields text in pieces. */
export type Model = (prompt: Prompt) => AsyncIterable<string>;

/**
 * The model that the environment names: with OPENAI_API_KEY any service that speaks the chat completions API (OPENAI_BASE_URL and
 * OPENAI_MODEL choose which); without a key one that is made up and needs no network.
 */
export function modelOf({ OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL }: NodeJS.ProcessEnv): Model {
  if (!OPENAI_API_KEY) return madeUp;
  const url = `${OPENAI_BASE_URL || "https://api.openai.com/v1"}/chat/completions`;
  return chatCompletions(url, OPENAI_API_KEY, OPENAI_MODEL || "gpt-4o-mini");
}

/** Imitates a model, one word at a time. */
async function* madeUp({ role, text }: Prompt): AsyncGenerator<string> {
  const [topic = ""] = text.split("\n");
  yield* `(made up) As ${role} I say: ${topic} matters, more or less.`.match(/\S+\s*/g) ?? [];
}

function chatCompletions(url: string, key: string, model: string): Model {
  return async function* ({ role, text, signal }) {
    const messages = [
      { role: "system", content: `You are ${role}. Answer in at most five sentences.` },
      { role: "user", content: text },
    ];
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages, stream: true }),
      signal,
    });
    if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      if (!line.startsWith("data: {")) continue;
      const chunk = JSON.parse(line.slice("data: ".length)) as Chunk;
      const token = chunk.choices[0]?.delta.content;
      if (token) yield token;
    }
  };
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
