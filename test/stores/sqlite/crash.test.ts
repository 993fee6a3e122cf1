import assert from "node:assert/strict";
import Libsql from "libsql";
import { test } from "vitest";
import { killWriters, testLogs } from "../crash.js";
import { testDeliveriesAfterCrash } from "../outbox.js";
import { temporaryFile } from "./temporary-file.js";

const ids = ["a", "b", "c"];

test("after a crash in the midst of appends the logs are whole, hold all that was acknowledged, and go on", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const url = `sqlite:${file}`;
  const first = await killWriters(url, ["one"], { ids, appends: 200 });
  // Two processes at one file, both killed: each entry has one writer.
  const second = await killWriters(url, ["two", "three"], { ids, appends: 100 });
  const places = second.map(({ id, generation }) => `${id} ${generation}`);
  assert.equal(new Set(places).size, places.length);
  await testLogs(url, ids, [...first, ...second]);
});

test("PUSH-09: deliveries of an agent that was killed are taken up where they stopped [SQLite]", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  await testDeliveriesAfterCrash(t, `sqlite:${file}`, async () => {
    const raw = new Libsql(file);
    raw.exec("UPDATE parley_configs SET until = 0");
    raw.close();
  });
});
