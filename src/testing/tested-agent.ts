import type { Client } from "../client/client.js";
import { connect } from "../client/connect.js";
import type { ConnectOptions } from "../client/options.js";
import { type ServeOptions, serve } from "../server/serve.js";
import type { Agents } from "../server/site.js";

/** An agent that a test talks to. */
export interface TestedAgent {
  readonly url: string;
  /** A client that is connected with default options. */
  readonly client: Client;
  /** Connects once more, with options: another caller, a faulty line, another binding. */
  connect(options?: ConnectOptions): Promise<Client>;
  /** Stops the agent; whatever is under way is aborted. */
  close(): Promise<void>;
}

/**
 * Serves an agent on a free port of this machine and connects to it: the real server, the real wire, the real client, in a few
 * milliseconds. Close it when the test is over.
 *
 * @throws what `serve` and `connect` throw
 *
 * @example
 * const tested = await testAgent(agent);
 * t.after(() => tested.close());
 * const { task } = await tested.client.sendText("hello");
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
