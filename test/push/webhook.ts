import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import type { StreamResponse } from "../../src/protocol/model.js";

/** A notification as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: StreamResponse;
}

/** What a webhook does with a notification: a status, or whatever it likes with the response. */
export type Answer = (arrival: Arrival, response: ServerResponse) => number | undefined;

/** A webhook on loopback that notes what arrives, and can be killed and brought back at the same place. */
export class Webhook {
  readonly arrivals: Arrival[] = [];
  answer: Answer = () => 204;
  #server: Server | undefined;
  #port = 0;
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  static async open(t: TestContext, answer?: Answer): Promise<Webhook> {
    const webhook = new Webhook();
    if (answer) webhook.answer = answer;
    await webhook.start();
    t.onTestFinished(() => webhook.kill());
    return webhook;
  }

  get port(): number {
    return this.#port;
  }

  url(path = "/hook"): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        return;
      }
      const body = Buffer.concat(chunks).toString();
      const { method = "", url: path = "", headers } = request;
      const arrival = { method, path, headers, body, event: JSON.parse(body) };
      this.arrivals.push(arrival);
      const status = this.answer(arrival, response);
      if (status !== undefined) response.writeHead(status).end();
      this.#look();
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Gone from one moment to the next, connections and all. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** Resolves once that many notifications have arrived. */
  count(count: number): Promise<void> {
    return this.until(() => this.arrivals.length >= count);
  }

  /** Resolves once what has arrived meets a condition; looked at whenever something arrives. */
  until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isMet, resolve });
      this.#look();
    });
  }

  /** Generations as they arrived. */
  get generations(): number[] {
    return this.arrivals.map(({ headers }) => Number(headers["a2a-notification-generation"]));
  }

  #look(): void {
    this.#waiting = this.#waiting.filter(({ isMet, resolve }) => {
      if (!isMet()) return true;
      resolve();
      return false;
    });
  }
}

/** The notifications without repetitions of the one before. */
export function once(generations: readonly number[]): number[] {
  return generations.filter((generation, index) => generation !== generations[index - 1]);
}
