import assert from "node:assert/strict";
import { test } from "vitest";
import { text } from "../support/peer.js";
import { kinds, sendFrom, serving } from "./serving-large.js";

const MIB = 1024 * 1024;
/** Callers, and messages of each: 320 MiB, more than the heap of the server holds. */
const CALLERS = 10;
const EACH = 4;

// The bytes are counted by the server, the same for every store: PostgreSQL takes as long again and shows no more.
for (const { kind, skip } of kinds.filter(({ kind }) => kind === "SQLite")) {
  test(`SEC-08: ${CALLERS * EACH} tasks that wait for their caller with messages of 8 MiB end no process [${kind}]`, {
    skip,
  }, async () => {
    const serve = await serving(kind, 0, 0);
    try {
      const message = text(`ask ${"x".repeat(8 * MIB)}`, {
        configuration: { returnImmediately: true, historyLength: 0 },
      });
      const statuses: number[] = [];
      for (let caller = 2; caller < 2 + CALLERS; caller += 1) {
        for (let count = 0; count < EACH; count += 1)
          statuses.push(await sendFrom(`127.0.0.${caller}`, serve.server.port, message));
        assert.equal(serve.server.death, undefined);
        assert.equal((await fetch(`${serve.server.url}/healthz`)).status, 200);
      }
      // 128 MiB in all are as much as 16 of them, and one more passes the bound.
      const count = (status: number) => statuses.filter((one) => one === status).length;
      assert.ok(count(200) >= 14 && count(200) <= 17, `${count(200)} were taken`);
      assert.equal(count(503), CALLERS * EACH - count(200));
      assert.ok((await serve.peer.call("SendMessage", text("delay"))).result, "small ones are answered");
    } finally {
      await serve.stop();
    }
  });
}
