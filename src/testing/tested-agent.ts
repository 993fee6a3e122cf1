import type { Client } from "../client/client.js";
import { connect } from "../client/connect.js";
import type { ConnectOptions } from "../client/options.js";
import type { Agents } from "../server/agent-server.js";
import { type ServeOptions, serve } from "../server/koa/serve.js";

/** A served agent and a connected client. */
export interface TestedAgent {
  /** URL of the server; the agents of other paths are below it. */
  readonly url: string;
  /** A client of the agent with default options. */
  readonly client: Client;
  /** Connects another client to the same agent, for example with credentials, a faulty connection or another binding. */
  connect(options?: ConnectOptions): Promise<Client>;
  /** Stops the agent at once, and aborts running executors. */
  close(): Promise<void>;
}

/**
 * Serves an agent on a free port of this machine and connects a client to it, over HTTP as in production. Close it at the end of the
 * test. Of several agents, the client calls the one at `/`, or the first one if no agent is there. For an agent that a client without
 * options cannot call, use `serve` and `connect`.
 *
 * @throws what `serve` and `connect` throw
 * @example
 * ```ts
 * const tested = await testAgent(agent);
 * t.after(() => tested.close());
 * const { task } = await tested.client.sendText("hello");
 * ```
 */
export async function testAgent(agent: Agents, options: ServeOptions = {}): Promise<TestedAgent> {
  const server = await serve(agent, options);
  try {
    const client = await connect(server.url);
    return {
      url: server.url,
      client,
      connect: (more) => connect(server.url, more),
      close: () => server.close(0),
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}
