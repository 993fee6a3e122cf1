import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { parsed, type Unchecked } from "./json.js";
import { Deviation } from "./verdict.js";

/** A received notification. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as JSON. */
  readonly value: Unchecked;
}

/** A webhook on this machine that accepts every notification. */
export class WebhookListener {
  readonly arrivals: ReceivedWebhook[] = [];
  readonly #server = createServer();
  #told: () => void = () => undefined;

  /** Listens on a free port. */
  static async open(): Promise<WebhookListener> {
    const webhook = new WebhookListener();
    const server = webhook.#server;
    server.on("request", async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const { method = "", headers } = request;
      webhook.arrivals.push({ method, headers, value: parsed(text) });
      response.writeHead(204).end();
      webhook.#told();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return webhook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Waits for a notification. @throws Deviation when it does not arrive within `seconds` */
  async until(isMet: (last: Unchecked) => boolean, seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!isMet(this.arrivals.at(-1)?.value)) {
      const left = end - performance.now();
      if (left <= 0) throw new Deviation(`${this.arrivals.length} notifications came, not the last one`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#told = () => {
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
