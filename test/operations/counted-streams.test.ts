import { test } from "vitest";
import { type Executor, inputRequired } from "../../src/index.js";
import type { ServerVersion } from "../../src/server/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";
import { recording } from "./recording.js";

test("metrics: open streams are those that the limit counts, with reads that wait and streams without an event", async (t) => {
  const record = recording();
  const { open, opened } = gate();
  const execute: Executor = async function* ({ text: words }) {
    if (words === "later") await opened;
    yield inputRequired("?");
  };
  const versions: readonly ServerVersion[] = ["1.1-draft", "1.0"];
  const { rpc } = await serveFor(t, { card: plainCard, execute }, { telemetry: record.telemetry, versions });
  /** Waits until so many streams are counted. */
  const counted = async (count: number): Promise<void> => {
    while ((await record.values("a2a.server.streams"))[0]?.value !== count)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const draft = { "A2A-Version": "1.1-draft" };
  const { id, generation } = (await rpc.call("SendMessage", text("go"), draft)).result.task;
  const read = rpc.call("GetTask", { id, currentGeneration: generation }, draft);
  await counted(1);
  const frames = collect(rpc.stream("SendStreamingMessage", text("later")));
  await counted(2);
  open();
  await frames;
  await rpc.call("CancelTask", { id }, draft);
  await read;
  await counted(0);
});
