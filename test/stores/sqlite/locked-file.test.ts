import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import Libsql from "libsql";
import { type TestContext, test } from "vitest";
import { completed, type ExecutionContext, type Update, working } from "../../../src/index.js";
import { serve } from "../../../src/server/index.js";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { WriteQueue } from "../../../src/stores/sqlite/write-queue.js";
import { ManualClock } from "../../../src/testing/index.js";
import { turns } from "../../engine/clocked-engine.js";
import { started } from "../../engine/two-nodes.js";
import { NotingLogger } from "../../push/desk.js";
import { plainCard, rpcPeer, text } from "../../support/peer.js";
import { temporaryFile } from "./temporary-file.js";

/** Seconds of a lease. */
const LEASE = 0.9;
/** What a busy machine may need besides, in milliseconds. */
const SLACK = 1500;

/** A server on a file, and another connection to the file that can keep it from being written. */
async function served(t: TestContext) {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  let stop: (at: number) => void;
  const aborted = new Promise<number>((resolve) => {
    stop = resolve;
  });
  async function* execute({ signal, text }: ExecutionContext): AsyncGenerator<Update> {
    yield working();
    if (text === "go") await once(signal, "abort").finally(() => stop(performance.now()));
    yield completed();
  }
  const store = new SqliteStore({ file, synchronous: "normal" });
  const logger = new NotingLogger();
  const server = await serve({ card: plainCard, execute }, { port: 0, store, logger, leaseTime: LEASE });
  const other = new Libsql(file);
  return { store, logger, server, peer: rpcPeer(server.url), other, aborted };
}

test("executors stop in time while another process keeps the file locked, and work goes on when it is free", async (t) => {
  const { store, logger, server, peer, other, aborted } = await served(t);
  await peer.call("SendMessage", text("go", started));
  other.exec("BEGIN IMMEDIATE");
  const begin = performance.now();
  await logger.told("Leases have expired: the executors of their tasks are aborted");
  const took = (await aborted) - begin;
  assert.ok(took < 1000 * LEASE + SLACK, `told to stop after ${took} ms`);
  other.exec("ROLLBACK");
  await logger.told("The store has recovered");
  assert.equal(
    logger.lines.filter(({ text, level }) => text.startsWith("The store is failing") && level === "error")
      .length,
    1,
  );
  const { result } = await peer.call("SendMessage", text("more"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  other.close();
  await server.close(1);
  await store.close();
});

test("a server and its store close within some seconds while another process keeps the file locked", async (t) => {
  const { store, server, peer, other } = await served(t);
  await peer.call("SendMessage", text("go", started));
  other.exec("BEGIN IMMEDIATE");
  const begin = performance.now();
  await server.close(0.5);
  await store.close();
  const took = performance.now() - begin;
  assert.ok(took < 4000, `${took} ms`);
  other.close();
});

test("a store waits for a process that writes its file, also before the file is in WAL mode", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  // The store blocks the event loop while it waits, so the lock is held by another process, whose output says when it has it.
  const program = `import Libsql from "libsql";
    const database = new Libsql(process.argv[1]);
    database.exec("CREATE TABLE other (x); BEGIN IMMEDIATE; INSERT INTO other VALUES (1)");
    console.log("locked");
    setTimeout(() => database.exec("COMMIT"), 500);`;
  const line = ["--input-type=module", "--eval", program, file];
  const writer = spawn(process.execPath, line, { stdio: ["ignore", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  const store = new SqliteStore({ file });
  await store.close();
});

test("a store that closes during a sweep leaves no timer", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const clock = new ManualClock();
  const store = new SqliteStore({ file, clock });
  clock.advance(60_000);
  await store.close();
  await turns();
  assert.equal(clock.timers, 0);
});

test("reads after a write that failed because the file was locked see what another process has written since", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const database = new SqliteDatabase({ file, synchronous: "normal", migrate: true });
  const writes = new WriteQueue(database, () => undefined);
  const other = new Libsql(file);
  other.exec("BEGIN IMMEDIATE");
  const write = writes.add(() => database.run("DELETE FROM parley_sends"));
  await Promise.all([assert.rejects(write, { name: "StoreError" }), writes.drain()]);
  const before = database.externalWrites;
  other.exec("INSERT INTO parley_scopes (agent, tenant, owner) VALUES ('', '', '')");
  other.exec("COMMIT");
  assert.notEqual(database.externalWrites, before);
  assert.ok(database.get("SELECT owner FROM parley_scopes"));
  other.close();
  database.close();
});
