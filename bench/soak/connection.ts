import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";

/** The binding of a caller. */
export type Binding = "JSONRPC" | "HTTP+JSON";

/** One event as received: its generation and its content. */
export interface Event {
  readonly id: number;
  readonly data: any;
}

/** Connections are kept alive: Node accepts one new connection per turn, and the turns of a server under load are long. */
const connections = new Agent({
  keepAlive: true,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: 10_000,
});

/** Verb and path of each operation in HTTP+JSON. */
const paths: Readonly<Record<string, (params: any) => [verb: string, path: string]>> = {
  SendMessage: () => ["POST", "/message:send"],
  SendStreamingMessage: () => ["POST", "/message:stream"],
  SubscribeToTask: ({ id }) => ["POST", `/tasks/${id}:subscribe`],
  CancelTask: ({ id }) => ["POST", `/tasks/${id}:cancel`],
  GetTask: ({ id }) => ["GET", `/tasks/${id}`],
};

/** A caller of one server over one binding. */
export class Caller {
  readonly #port: number;
  readonly #binding: Binding;

  constructor(port: number, binding: Binding) {
    this.#port = port;
    this.#binding = binding;
  }

  /** Calls an operation with one answer. Returns the answer, or the code of the refusal. */
  async call(operation: string, params: object): Promise<{ result?: any; code?: string }> {
    const [, response] = await this.#send(operation, params, {});
    let text = "";
    for await (const chunk of response) text += String(chunk);
    return this.#read(JSON.parse(text));
  }

  /**
   * Opens a stream.
   * @param after generation after which it continues
   * @returns its events, and a function that cuts the connection; or the code of the refusal
   */
  async stream(
    operation: string,
    params: object,
    after?: number,
  ): Promise<{ events: AsyncGenerator<Event>; cut: () => void } | { code: string }> {
    const headers = after === undefined ? {} : { "Last-Event-ID": String(after) };
    const [req, response] = await this.#send(operation, params, headers);
    if (response.headers["content-type"] === "text/event-stream") {
      return { events: this.#events(response), cut: () => req.destroy() };
    }
    let text = "";
    for await (const chunk of response) text += String(chunk);
    return { code: this.#read(JSON.parse(text)).code ?? text.slice(0, 200) };
  }

  #send(
    operation: string,
    params: object,
    headers: Record<string, string>,
  ): Promise<[ClientRequest, IncomingMessage]> {
    const isRpc = this.#binding === "JSONRPC";
    const [method, path] = isRpc ? ["POST", "/"] : (paths[operation]?.(params) ?? ["POST", "/"]);
    const value = isRpc ? { jsonrpc: "2.0", id: 1, method: operation, params } : params;
    const body = method === "GET" ? "" : JSON.stringify(value);
    return new Promise((resolve, reject) => {
      const req = request({
        ...{ port: this.#port, host: "127.0.0.1", agent: connections, method, path },
        headers: {
          ...{ "Content-Type": "application/json", "A2A-Version": "1.0" },
          "Content-Length": Buffer.byteLength(body),
          ...headers,
        },
      });
      // The server may close a kept connection just when it is used again. Then nothing was read.
      req.on("error", (error) =>
        req.reusedSocket ? resolve(this.#send(operation, params, headers)) : reject(error),
      );
      req.on("response", (response) => resolve([req, response]));
      req.end(body);
    });
  }

  #read(value: any): { result?: any; code?: string } {
    if (value.error === undefined) return { result: this.#binding === "JSONRPC" ? value.result : value };
    return { code: (value.error.data ?? value.error.details)?.[0]?.reason ?? JSON.stringify(value.error) };
  }

  async *#events(response: IncomingMessage): AsyncGenerator<Event> {
    response.setEncoding("utf8");
    let text = "";
    for await (const chunk of response) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field("data");
        if (data === undefined) continue;
        const value = JSON.parse(data);
        yield {
          id: Number(field("id")),
          data: this.#binding === "JSONRPC" ? (value.result ?? value) : value,
        };
      }
    }
  }
}

/** Closes all connections. */
export function hangUp(): void {
  connections.destroy();
}
