import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parsed, type Unchecked } from "./json.js";
import { Deviation } from "./verdict.js";

/** A received notification. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as JSON; undefined if it is not JSON. */
  readonly value: Unchecked;
}

/** A webhook on this machine that accepts every notification. */
export class WebhookListener {
  readonly arrivals: ReceivedWebhook[] = [];
  readonly #server = createServer();
  #onArrival: () => void = () => undefined;

  /** Listens on a free port. */
  static async open(): Promise<WebhookListener> {
    const webhook = new WebhookListener();
    const server = webhook.#server;
    server.on("request", (request, response) => {
      // A caller that disconnects before the end of its body has not notified.
      webhook.#receive(request, response).catch(() => undefined);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return webhook;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) text += chunk;
    const { method = "", headers } = request;
    this.arrivals.push({ method, headers, value: parsed(text) });
    response.writeHead(204).end();
    this.#onArrival();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Waits until the last notification meets a condition. @throws Deviation when none does within `seconds` */
  async until(isMet: (last: Unchecked) => boolean, seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!isMet(this.arrivals.at(-1)?.value)) {
      const left = end - performance.now();
      if (left <= 0)
        throw new Deviation(`${this.arrivals.length} notifications arrived, but not the expected one`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#onArrival = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
