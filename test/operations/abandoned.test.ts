import assert from "node:assert/strict";
import { test } from "vitest";
import { working } from "../../src/index.js";
import type { Telemetry } from "../../src/server/index.js";
import { started } from "../engine/two-nodes.js";
import { NotingLogger } from "../push/desk.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";

/** What the gauges of a server are read with. */
type Read = Parameters<Telemetry["observe"]>[0];

for (const binding of ["rpc", "rest"] as const) {
  test(`executors that ignore a cancellation do not pile up: beyond the bound sends get UNAVAILABLE [${binding}]`, async (t) => {
    const { open, opened } = gate();
    let read: Read = () => assert.fail("Nothing is observed");
    const span = { trace: undefined, run: <R>(body: () => R) => body(), annotate() {}, end() {} };
    const telemetry: Telemetry = {
      begin: () => span,
      count() {},
      time() {},
      observe(given) {
        read = given;
        return () => undefined;
      },
    };
    const logger = new NotingLogger();
    let live = 0;
    const server = await serveExecutor(
      t,
      async function* () {
        live += 1;
        yield working();
        await opened;
        live -= 1;
      },
      { logger, telemetry, limits: { abandonedPerPrincipal: 3, tasksPerPrincipal: 3, stopTime: 0.01 } },
    );
    const peer = server[binding];
    const refusals: unknown[] = [];
    for (let round = 0; round < 10; round += 1) {
      const { result, error, response } = await peer.call("SendMessage", text("go", started));
      if (error === undefined) {
        await peer.call("CancelTask", { id: result.task.id });
        await logger.told(
          "An execution has not ended after its signal aborted: pass the signal to everything that the executor awaits",
          round + 1,
        );
      } else refusals.push([error, response.status, response.headers.get("retry-after")]);
    }
    assert.equal(live, 3);
    assert.deepEqual(refusals, Array(7).fill(["UNAVAILABLE", 503, "5"]));
    const readings = await read();
    assert.equal(readings["a2a.server.abandoned"], 3);
    assert.equal(readings["a2a.server.executions"], 0);
    // Tasks that are there can be read and listed meanwhile.
    assert.equal((await peer.call("ListTasks", {})).result.tasks.length, 3);
    open();
    while (((await read()) as Awaited<ReturnType<Read>>)["a2a.server.abandoned"] > 0)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(live, 0);
    assert.equal((await peer.call("SendMessage", text("go", started))).error, undefined);
  });
}
