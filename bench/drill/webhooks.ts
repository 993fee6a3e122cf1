import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

type Json = any;

/** A key that distinguishes an event of a task from its others. */
export function keyOf({ task, statusUpdate, artifactUpdate }: Json): string {
  if (task) return "task";
  if (artifactUpdate) return artifactUpdate.artifact.parts[0].text;
  return `${statusUpdate.status.state} ${statusUpdate.status.timestamp}`;
}

/** The receivers of all webhooks, with the events of each in order. */
export class Webhooks {
  readonly #received = new Map<string, string[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const keys = this.got(request.url);
      keys.push(keyOf(JSON.parse(body)));
      response.end();
    });
  }

  static async open(): Promise<Webhooks> {
    const hooks = new Webhooks();
    hooks.#server.listen(0, "127.0.0.1");
    await once(hooks.#server, "listening");
    return hooks;
  }

  /** URL of the webhook at a path. */
  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Keys of the events that have arrived at a path. */
  got(path = "/"): string[] {
    const keys = this.#received.get(path) ?? [];
    this.#received.set(path, keys);
    return keys;
  }
}
