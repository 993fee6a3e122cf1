import type { Fetch } from "../../../client/exchange.js";
import { FrameSplitter } from "../wire/wire-frame.js";

/** A frame of an event stream: when it came, and whether it was only a heartbeat. Times are milliseconds since 1970. */
export interface LineFrame {
  readonly at: number;
  readonly id: string | undefined;
  readonly isHeartbeat: boolean;
}

/** One connection of a {@link Line}. It changes until it has ended. */
export interface LineConnection {
  readonly startedAt: number;
  /** Number of the exchange in the wire recorder; undefined before it is known. */
  exchange: number | undefined;
  /** `Last-Event-ID` of the request: the last event that the page had. */
  readonly after: string | undefined;
  /** When the headers of the response arrived. */
  openedAt: number | undefined;
  status: number | undefined;
  isStream: boolean;
  /** The frames that are kept: the first ones, and the last ones. */
  readonly frames: LineFrame[];
  /** Number of frames that are no longer kept. */
  droppedFrames: number;
  endedAt: number | undefined;
  /** `complete`: the agent ended it. `closed`: the page did, because it has all that it needs. `cut`: the button. */
  end: "complete" | "closed" | "cut" | "failed" | undefined;
  problem: string | undefined;
}

/** Frames that are kept. Beyond it, older ones leave after the first ones of their connection, which say what was replayed. */
const MAX_FRAMES = 20_000;
const FIRST_FRAMES = 1000;
/** What is left of them then. */
const REST = 0.75;
/** Connections that are kept: the first one, and the last ones. */
const MAX_CONNECTIONS = 200;

/** Options of a {@link Line}. */
export interface LineOptions {
  /** Sends a request, over gRPC where it says so, and reports its number in the wire recorder. */
  readonly send: (onExchange: (id: number) => void, over?: "GRPC") => Fetch;
  readonly onChange: () => void;
  readonly now?: () => number;
}

/** The connections of one turn of a conversation. It can be cut, as a network fails, and is whole again after a time. */
export class Line {
  readonly connections: LineConnection[] = [];
  readonly #options: LineOptions;
  readonly #cuts = new Set<() => void>();
  #restored: Promise<void> = Promise.resolve();

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Whether a stream is open that can be cut. */
  get isStreaming(): boolean {
    return this.#cuts.size > 0;
  }

  /** Breaks every stream of the line. Requests wait until the time has passed. */
  cut(milliseconds: number): void {
    this.#restored = new Promise((resolve) => setTimeout(resolve, milliseconds));
    for (const cut of [...this.#cuts]) cut();
  }

  /** A `fetch` for a client. */
  readonly fetch: Fetch = (input, init) => this.#call(input, init);

  /** A `fetch` for the gRPC interfaces of a client. */
  readonly grpcFetch: Fetch = (input, init) => this.#call(input, init, "GRPC");

  async #call(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1], over?: "GRPC"): Promise<Response> {
    await this.#restored;
    const { headers } = new Request(input, init);
    const connection: LineConnection = {
      ...{ startedAt: this.#now(), exchange: undefined, after: headers.get("Last-Event-ID") ?? undefined },
      ...{ openedAt: undefined, status: undefined, isStream: false, frames: [], droppedFrames: 0 },
      ...{ endedAt: undefined, end: undefined, problem: undefined },
    };
    const noted = this.connections.reduce((sum, { frames }) => sum + frames.length, 0);
    if (noted > MAX_FRAMES) for (const earlier of this.connections) dropFrames(earlier, noted);
    this.connections.push(connection);
    if (this.connections.length > MAX_CONNECTIONS) this.connections.splice(1, 1);
    this.#options.onChange();
    try {
      const send = this.#options.send((id) => {
        connection.exchange = id;
      }, over);
      return this.#opened(connection, await send(input, init));
    } catch (error) {
      this.#end(connection, "failed", error);
      throw error;
    }
  }

  #opened(connection: LineConnection, response: Response): Response {
    const { status, statusText, headers, body } = response;
    connection.openedAt = this.#now();
    connection.status = status;
    connection.isStream = headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
    this.#options.onChange();
    if (body === null) {
      this.#end(connection, "complete");
      return response;
    }
    const passed = new Response(this.#passed(connection, body), { status, statusText, headers });
    return Object.defineProperty(passed, "url", { value: response.url });
  }

  /** The body, whose frames are noted, and which a cut breaks. */
  #passed(connection: LineConnection, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const splitter = new FrameSplitter();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    let forget: () => void = () => undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (!connection.isStream) return;
        const cut = () => {
          const broken = new TypeError("The line was cut in the inspector");
          this.#end(connection, "cut", broken);
          forget();
          controller.error(broken);
          void reader.cancel(broken).catch(() => undefined);
        };
        this.#cuts.add(cut);
        forget = () => this.#cuts.delete(cut);
      },
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (connection.end !== undefined) return;
          if (done) {
            forget();
            this.#end(connection, "complete");
            controller.close();
            return;
          }
          if (connection.isStream) this.#note(connection, splitter, decoder.decode(value, { stream: true }));
          controller.enqueue(value);
        } catch (error) {
          forget();
          if (connection.end === undefined) controller.error(error);
          this.#end(connection, "failed", error);
        }
      },
      cancel: (reason) => {
        forget();
        this.#end(connection, "closed");
        return reader.cancel(reason);
      },
    });
  }

  #note(connection: LineConnection, splitter: FrameSplitter, text: string): void {
    for (const { at, id, data } of splitter.push(text, this.#now()))
      connection.frames.push({ at, id, isHeartbeat: data === undefined });
    const { length } = connection.frames;
    if (length > MAX_FRAMES) dropFrames(connection, length - MAX_FRAMES * REST);
    this.#options.onChange();
  }

  #end(connection: LineConnection, end: NonNullable<LineConnection["end"]>, error?: unknown): void {
    if (connection.end !== undefined) return;
    connection.end = end;
    connection.endedAt = this.#now();
    if (error !== undefined) connection.problem = error instanceof Error ? error.message : String(error);
    this.#options.onChange();
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** Leaves out frames of a connection, the oldest after the first ones. */
function dropFrames(connection: LineConnection, count: number): void {
  connection.droppedFrames += connection.frames.splice(FIRST_FRAMES, count).length;
}
