import { type Task, textOf } from "a2a-parley";

/** One JSON-RPC call, as any A2A client makes it. */
function post(url: string, method: string, params: unknown): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** A message from the user with one part of text. */
function say(text: string, taskId?: string) {
  const message = {
    messageId: crypto.randomUUID(),
    role: "ROLE_USER",
    parts: [{ text }],
    ...(taskId && { taskId }),
  };
  return { message };
}

/**
 * Shows a real exchange with the agent at `url`, line by line: a message that the agent answers with a question, the answer
 * with the stream of events that follows, and the finished task.
 * @param print takes each line
 */
export async function exchange(url: string, print: (line: string) => void): Promise<void> {
  print(`→ SendMessage           "Plan a weekend"`);
  const { id, status } = (await result<{ task: Task }>(post(url, "SendMessage", say("Plan a weekend")))).task;
  print(`← ${status.state}  "${status.message && textOf(status.message)}"`);

  print(`→ SendStreamingMessage  "Lisbon"`);
  const stream = await post(url, "SendStreamingMessage", say("Lisbon", id));
  for await (const event of events(stream)) print(`← ${JSON.stringify(event)}`);

  print("→ GetTask");
  const task = await result<Task>(post(url, "GetTask", { id, historyLength: 0 }));
  print(`← ${JSON.stringify(task, null, 2)}`);
}

/** The result in a JSON-RPC answer. */
async function result<T>(answer: Promise<Response>): Promise<T> {
  return ((await (await answer).json()) as { result: T }).result;
}

/** The events of a stream as they come. */
async function* events(response: Response): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data).result;
    }
  }
}
