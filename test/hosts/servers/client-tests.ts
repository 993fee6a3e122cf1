import assert from "node:assert/strict";
import { connect } from "a2a-parley/client";
import type { TestRun } from "./run-tests.js";

/** What the client does against the probe agent, over either binding. */
export function clientTests(url: string, { test }: TestRun): void {
  for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
    const connected = () => connect(url, { bindings: [binding] });

    test(`a message is answered [${binding}]`, async () => {
      const client = await connected();
      const { message } = await client.sendText("echo hi");
      assert.equal(message?.parts[0]?.text, "echo: hi");
    });

    test(`a stream is read event by event, and its task afterwards [${binding}]`, async () => {
      const client = await connected();
      let chunks = 0;
      let id = "";
      for await (const { task, artifactUpdate } of client.stream("drip 5 every 20")) {
        id = task?.id ?? id;
        if (artifactUpdate !== undefined) chunks += 1;
      }
      assert.equal(chunks, 5);
      assert.equal((await client.getTask({ id })).status.state, "TASK_STATE_COMPLETED");
    });

    test(`a task is canceled while it is watched [${binding}]`, async () => {
      const client = await connected();
      let last: unknown;
      for await (const { task, statusUpdate } of client.stream("hold 30000")) {
        last = (task ?? statusUpdate)?.status.state ?? last;
        const id = task?.id ?? statusUpdate?.taskId;
        if (last === "TASK_STATE_WORKING" && id !== undefined) void client.cancelTask({ id });
      }
      assert.equal(last, "TASK_STATE_CANCELED");
    });

    test(`an error of the protocol has its code [${binding}]`, async () => {
      const client = await connected();
      await assert.rejects(client.getTask({ id: "nothing" }), { name: "TaskNotFoundError" });
    });

    test(`a call that is given up ends at once [${binding}]`, async () => {
      const client = await connected();
      const controller = new AbortController();
      const call = client.sendText("hold 30000", { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      await assert.rejects(call);
    });
  }
}
