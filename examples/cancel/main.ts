import { connect, RemoteError, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent);
const client = await connect(server.url);

for await (const { task, statusUpdate } of client.stream("a long novel")) {
  const { state, message } = task?.status ?? statusUpdate?.status ?? {};
  const text = message ? textOf(message) : "";
  console.log(state, text);
  const id = statusUpdate?.taskId;
  if (id && text === "out of paper") {
    await cancel(id, {});
    await cancel(id, { reason: "the wrong novel" });
  }
}

async function cancel(id: string, metadata: { reason?: string }): Promise<void> {
  try {
    const { status } = await client.cancelTask({ id, metadata });
    console.log(`cancel: ${status.state}`);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    console.log(`cancel: ${error.code} (${error.message})`);
  }
}

await server.close();
