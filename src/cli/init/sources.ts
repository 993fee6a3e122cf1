import { type StoreKind, stores } from "./stores.js";

/** The agent of a new project, which is the same in both languages. */
export const agentSource = `import { artifact, completed, defineAgent, inputRequired, working } from "a2a-parley";

export const agent = defineAgent({
  card: {
    name: "Word counter",
    description: "Counts the words of a text.",
    skills: [{ id: "count", name: "Count words", description: "Counts the words of a text.", tags: ["text"] }],
  },

  // Runs for every message. Callers see each update as it is yielded.
  async *execute({ text, signal }) {
    if (text.trim() === "") return yield inputRequired("Which text?");
    yield working("Counting");
    const count = artifact({ name: "count" });
    const words = text.trim().split(/\\s+/);
    signal.throwIfAborted(); // The caller has canceled.
    yield count.text(\`\${words.length} words\`, { last: true });
    return yield completed();
  },
});
`;

/** The program that serves the agent. */
export function mainSource(store: StoreKind): string {
  const { imports, open } = stores[store];
  const isKept = open !== "";
  return `import { serve } from "a2a-parley/server";
${imports}import { agent } from "./agent.js";

${open}const { PORT = "41241", HOST, PUBLIC_URL } = process.env;
const server = await serve(agent, {
  port: Number(PORT),
  ...(HOST && { host: HOST }),
  ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
${isKept ? "  store,\n" : ""}});
console.log(\`Listening: \${server.url}\`);

// Lets pending responses finish.
const stop = async () => {
  await server.close();
${isKept ? "  await store.close();\n" : ""}};
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
`;
}

/** A test of the agent, over HTTP, with Node's own test runner. */
export const testSource = `import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, summarize, testAgent } from "a2a-parley/testing";
import { agent } from "../src/agent.js";

test("counts the words of a text", async () => {
  const tested = await testAgent(agent);
  try {
    const events = await collect(tested.client.stream("one two three"));
    assert.deepEqual(summarize(events), ["task WORKING", "artifact count: 3 words", "status COMPLETED"]);
  } finally {
    await tested.close();
  }
});
`;
