import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { TestContext } from "vitest";
import { EventStream } from "../../src/server/node/event-stream.js";
import { type OpenStream, OpenStreams } from "../../src/server/streams/open-streams.js";
import { answerOf, notebook } from "./scripted-agent.js";

export const headers = { "Content-Type": "text/event-stream" };

/** Open streams that can be counted. */
export class CountedStreams extends OpenStreams {
  readonly #open = new Set<OpenStream>();

  get size(): number {
    return this.#open.size;
  }

  override add(stream: OpenStream): void {
    this.#open.add(stream);
    super.add(stream);
  }

  override delete(stream: OpenStream): void {
    this.#open.delete(stream);
    super.delete(stream);
  }
}

/** A server whose every answer is a stream of the given frames, and what can be seen of it from inside. */
export async function streaming(
  t: TestContext,
  frames: AsyncIterable<string>,
  { heartbeat = 60, before = (_: ServerResponse): void => undefined } = {},
) {
  const streams = new CountedStreams(heartbeat);
  const notes = notebook();
  const seen = { aborted: 0, responses: [] as ServerResponse[], streams, notes };
  const server = createServer((_, res) => {
    seen.responses.push(res);
    before(res);
    const abort = () => {
      seen.aborted += 1;
    };
    const stream = new EventStream({
      answer: answerOf(res),
      res,
      reply: { status: 200, headers, frames },
      abort,
      streams,
      logger: notes.logger,
    });
    stream.begin();
  }).listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return Object.assign(seen, { port });
}

/** Frames that a test gives out one by one; what happens to them is visible. */
export class Tap implements AsyncIterableIterator<string> {
  returned = 0;
  #give: ((result: IteratorResult<string>) => void) | undefined;

  [Symbol.asyncIterator]() {
    return this;
  }

  next(): Promise<IteratorResult<string>> {
    return new Promise((resolve) => {
      this.#give = resolve;
    });
  }

  async return(): Promise<IteratorResult<string>> {
    this.returned += 1;
    return { done: true, value: undefined };
  }

  get isAsked(): boolean {
    return this.#give !== undefined;
  }

  finish(): void {
    const give = this.#give;
    this.#give = undefined;
    give?.({ done: true, value: undefined });
  }

  give(value: string): void {
    const give = this.#give;
    this.#give = undefined;
    give?.({ done: false, value });
  }
}
