import type {
  CallContext,
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "a2a-parley";
import { type HandlerAgent, UnimplementedHandler } from "a2a-parley/bridges";

/** Number of events that were produced, by the text of the message that asked for them. */
const produced = new Map<string, number>();

/** Number of streams that are being produced. */
let open = 0;

const textOf = ({ message }: SendMessageRequest): string => message.parts[0]?.text ?? "";
const sizeIn = (text: string): number => Number(/\d+/.exec(text)?.[0]);

/** Garbage collection, as V8 and Bun have it. */
interface Collecting {
  gc?(): void;
  readonly Bun?: { gc(isBlocking: boolean): void };
}

/**
 * Produces events for as long as they are read. A message whose text begins with a number is answered with a text of that many bytes, or
 * with events of that size. GetTask tells how many of them were produced. CancelTask collects garbage, so that the memory of the process is what it
 * holds.
 */
class Endless extends UnimplementedHandler<CallContext> {
  override async sendMessage(request: SendMessageRequest) {
    const text = "x".repeat(sizeIn(textOf(request)));
    return { message: { messageId: "large", role: "ROLE_AGENT" as const, parts: [{ text }] } };
  }

  override async *sendStreamingMessage(request: SendMessageRequest): AsyncGenerator<StreamResponse> {
    const id = textOf(request);
    const text = "x".repeat(sizeIn(id));
    open += 1;
    try {
      yield { task: taskNamed(id) };
      for (let count = 1; ; count += 1) {
        produced.set(id, count);
        const artifact = { artifactId: String(count), parts: [{ text }] };
        yield { artifactUpdate: { taskId: id, contextId: "endless", artifact } };
      }
    } finally {
      open -= 1;
    }
  }

  override async *subscribeToTask({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse> {
    yield { task: taskNamed(id) };
  }

  override async getTask({ id }: GetTaskRequest): Promise<Task> {
    return { ...taskNamed(id), metadata: { produced: produced.get(id) ?? 0, open } };
  }

  override async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { gc, Bun } = globalThis as Collecting;
    if (Bun === undefined) gc?.();
    else Bun.gc(true);
    return taskNamed(id);
  }
}

const taskNamed = (id: string): Task => ({
  id,
  contextId: "endless",
  status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-31T12:00:00.000Z" },
});

/** An agent whose readers decide how much it produces. */
export const endlessAgent: HandlerAgent = {
  card: { name: "Endless", description: "Produces as much as is read." },
  handler: new Endless(),
};
