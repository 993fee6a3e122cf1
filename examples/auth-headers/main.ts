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

await visit("no credential", {});
await visit("a wrong key", { credentials: { key: "guess" } });

// The client sends the credential where the card says: in the header X-API-Key.
await visit("alice", { credentials: { key: "alices-key" } });

// When the agent rejects the value of a function, the client calls the function once more, so that it can renew the token.
await visit("bob", {
  credentials: { login: async ({ rejected }) => (rejected ? "bobs-new-token" : "bobs-old-token") },
});

// Headers of your own. The client sends them only to the origin of the agent.
await visit("bob, with his own header", { headers: { Authorization: "Bearer bobs-new-token" } });

await server.close();
