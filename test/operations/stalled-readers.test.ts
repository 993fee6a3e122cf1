import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { artifact, inputRequired } from "../../src/index.js";
import type { Logger } from "../../src/protocol/logger.js";
import { createApp, type Readings, type ServeOptions, type Telemetry } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ScriptedHandler, scripted, taskNamed, write } from "../server/scripted-agent.js";
import { allVersions } from "../support/all-versions.js";
import { serveExecutor, text } from "../support/peer.js";
import { type Asked, askUnread, reads, subscriptions, textOf } from "./asked.js";

const MIB = 1024 * 1024;

/** What a server says while it serves a task of 9 MiB: lines of its log, counts, and its gauges when asked. */
async function serving(t: TestContext, options: ServeOptions) {
  const lines: { facts: object; text: string }[] = [];
  const counts: string[] = [];
  let told: () => void = () => undefined;
  let read: (() => Readings | Promise<Readings>) | undefined;
  const quiet = () => undefined;
  const logger: Logger = {
    ...{ debug: quiet, info: quiet, error: quiet },
    warn(facts, words) {
      if (words.startsWith("Agent card")) return;
      lines.push({ facts, text: words });
      told();
    },
  };
  const telemetry: Telemetry = {
    begin: () => ({ trace: undefined, run: (body) => body(), annotate: quiet, end: quiet }),
    count: (counter) => void counts.push(counter),
    time: quiet,
    observe(reader) {
      read = reader;
      return quiet;
    },
  };
  const { port, rpc } = await serveExecutor(
    t,
    async function* () {
      const result = artifact({ name: "large" });
      for (let mib = 0; mib < 9; mib += 1) yield result.text("x".repeat(MIB));
      yield inputRequired("What next?");
    },
    { store: new MemoryStore(), versions: allVersions, logger, telemetry, ...options },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  return {
    port,
    id: result.task.id as string,
    lines,
    counts,
    readings: () => read?.(),
    /** Resolves when the log has so many lines. */
    async cuts(count: number): Promise<void> {
      while (lines.length < count) {
        await new Promise<void>((resolve) => {
          told = resolve;
        });
      }
    },
  };
}

test("SEC-08: readers that take nothing are cut off in time, whatever they have asked for", async (t) => {
  const writeTime = 0.4;
  const bounds = { unsent: 1000 * MIB, unsentPerPrincipal: 1000 * MIB };
  const { port, id, lines, counts, readings, cuts } = await serving(t, { limits: { writeTime, ...bounds } });
  const asked = [...reads, ...subscriptions];
  const sockets = asked.map((one) => askUnread(port, one, id));
  await cuts(asked.length);
  assert.deepEqual(
    new Set(lines.map(({ text }) => text)),
    new Set(["Closed a connection whose reader took nothing"]),
  );
  for (const { facts } of lines) {
    const { address, seconds, unsent } = facts as { address: string; seconds: number; unsent: number };
    assert.deepEqual([address, seconds], ["127.0.0.1", writeTime]);
    assert.ok(unsent > 0);
  }
  assert.equal(counts.filter((name) => name === "a2a.server.stalled").length, asked.length);
  const held = async () => {
    const { "a2a.server.unsent": unsent = 1, "a2a.server.streams": streams = 1 } = (await readings()) ?? {};
    return unsent + streams;
  };
  while ((await held()) > 0) await new Promise(setImmediate);
  for (const socket of sockets) socket.destroy();
});

for (const asked of [reads[0], reads[1], subscriptions[0]] as Asked[]) {
  test(`SEC-08: a slow reader that takes something now and then is not cut off [${asked.name}]`, async (t) => {
    const { port, id, lines } = await serving(t, { limits: { writeTime: 0.8 } });
    const socket = await write(port, textOf(asked, id));
    t.onTestFinished(() => void socket.destroy());
    let length = 0;
    socket.setMaxListeners(0);
    // A quarter of a MiB each twentieth of a second: three times as long as a reader may take nothing.
    while (length < 9 * MIB) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (let taken = 0; taken < MIB / 4 && length < 9 * MIB; ) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) await Promise.race([once(socket, "readable"), once(socket, "close")]);
        assert.equal(socket.destroyed, false, `cut off after ${length} bytes`);
        taken += chunk?.length ?? 0;
        length += chunk?.length ?? 0;
      }
    }
    assert.deepEqual(lines, []);
  });
}

test("SEC-08: the gauges tell what is unsent and what waits", async (t) => {
  const bounds = { unsent: 1000 * MIB, unsentPerPrincipal: 10 * MIB };
  const { port, id, readings } = await serving(t, { limits: bounds });
  const sockets = Array.from({ length: 4 }, () => askUnread(port, reads[0] as Asked, id));
  for (;;) {
    const { "a2a.server.unsent": unsent = 0, "a2a.server.unsent.waiting": waiting } =
      (await readings()) ?? {};
    if (waiting === 2 && unsent > 18 * MIB && unsent < 20 * MIB) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const socket of sockets) socket.destroy();
  while (((await readings())?.["a2a.server.unsent"] ?? 1) > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
});

test("SEC-08: a stalled reader is cut off on a socket of this machine as well, which knows no reset", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-socket-"));
  const path = join(folder, "agent.sock");
  const agent = scripted(
    new (class extends ScriptedHandler {
      override async getTask({ id }: { id: string }) {
        return { ...taskNamed(id), artifacts: [{ artifactId: "a", parts: [{ text: "x".repeat(9 * MIB) }] }] };
      }
    })(),
  );
  const app = createApp(agent, { limits: { writeTime: 0.2 } });
  const closed = new Promise<void>((resolve) => {
    const answer = app.callback();
    const server = createServer((req, res) => {
      res.once("close", resolve);
      void answer(req, res);
    }).listen(path);
    t.onTestFinished(() => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    });
  });
  const socket = connect(path);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(textOf(reads[1] as Asked, "large"));
  await closed;
  socket.destroy();
  await app.close();
});
