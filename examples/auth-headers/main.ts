import { ClientError, type ConnectOptions, connect, RemoteError } from "a2a-parley/client";
import { apiKeys, bearerTokens, serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent, {
  auth: {
    verifiers: {
      key: apiKeys({ "alices-key": "alice" }),
      login: bearerTokens({ "bobs-new-token": "bob" }),
    },
  },
});

/** Leaves a note, and counts the notes that are there for this caller. */
async function visit(who: string, options: ConnectOptions): Promise<void> {
  try {
    const client = await connect(server.url, options);
    await client.sendText("buy bread");
    const { tasks } = await client.listTasks({});
    console.log(`${who}: has ${tasks.length}`);
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof ClientError)) throw error;
    console.log(`${who}: ${error.code}`);
  }
}

await visit("nobody", {});
await visit("a thief", { credentials: { key: "guess" } });

// The credential goes where the card wants it: into the header X-API-Key.
await visit("alice", { credentials: { key: "alices-key" } });

// A function is asked again, once, when what it gave was rejected: the place to renew a token.
await visit("bob", {
  credentials: { login: async ({ rejected }) => (rejected ? "bobs-new-token" : "bobs-old-token") },
});

// Or the headers are written by hand. They go to the agent's own origin only.
await visit("bob, by hand", { headers: { Authorization: "Bearer bobs-new-token" } });

await server.close();
