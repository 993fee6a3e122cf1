import { setTimeout } from "node:timers/promises";
import type { DrillNodes } from "./nodes.js";

type Json = any;

/** Makes one JSON-RPC call, and yields the frames of its answer. */
export async function* frames(url: string, method: string, params: Json, after = 0): AsyncGenerator<Json> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "A2A-Version": "1.0",
      ...(after > 0 && { "Last-Event-ID": `${after}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const { result, error } = (await response.json()) as Json;
    if (error) throw Object.assign(new Error(error.message), { reason: error.data?.[0]?.reason });
    yield { data: result };
    return;
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text.slice(0, end))?.[1];
      const data = field("data");
      if (data !== undefined) {
        const { result, error } = JSON.parse(data);
        if (error) throw Object.assign(new Error(error.message), { reason: error.data?.[0]?.reason });
        yield { id: Number(field("id")), data: result };
      }
      text = text.slice(end + 2);
    }
  }
}

/** A task and its reader, which connects to any node again whenever the stream ends too early. */
export class DrillTask {
  taskId: string | undefined;
  ended = false;
  cuts = 0;
  readonly faults: string[] = [];
  #last = 0;
  readonly #nodes: DrillNodes;

  constructor(nodes: DrillNodes) {
    this.#nodes = nodes;
  }

  /** Reads the task to its end. */
  async run(text: string, webhook: string): Promise<void> {
    const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] };
    const configuration = { taskPushNotificationConfig: { url: webhook, id: "hook" } };
    while (!this.ended) {
      const node = this.#nodes.any();
      try {
        if (node !== undefined && this.taskId === undefined) {
          await this.#read(frames(node.url, "SendStreamingMessage", { message, configuration }));
        } else if (node !== undefined) {
          await this.#read(frames(node.url, "SubscribeToTask", { id: this.taskId }, this.#last));
        }
      } catch (error) {
        this.cuts += 1;
        if ((error as Json).reason === "UNSUPPORTED_OPERATION") this.ended = true;
      }
      if (!this.ended) await setTimeout(100 + Math.random() * 200);
    }
  }

  async #read(stream: AsyncGenerator<Json>): Promise<void> {
    let isFirst = true;
    for await (const { id, data } of stream) {
      this.taskId ??= data.task?.id;
      const expected = isFirst ? this.#last : this.#last + 1;
      if (this.#last > 0 && id !== expected) this.faults.push(`read ${id} instead of ${expected}`);
      isFirst = false;
      this.#last = id;
      const state = (data.task ?? data.statusUpdate)?.status.state;
      if (/COMPLETED|FAILED|CANCELED/.test(state ?? "")) this.ended = true;
    }
  }
}
