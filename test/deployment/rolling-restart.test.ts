import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { emptyDatabase } from "../support/each-store.js";
import { freePort } from "../support/free-port.js";
import { text } from "../support/peer.js";
import { withoutPostgres } from "../support/postgres.js";
import { program } from "../support/program.js";
import { answers, proxies, startProxy } from "./proxy.js";

const headers = { "A2A-Version": "1.0", "Content-Type": "application/json" };

/** A node of examples/deployment in a process of its own. */
async function startNode(port: number, settings: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, program("examples/deployment/main.ts"), {
    stdio: ["ignore", "ignore", "pipe"],
    // Less than the tasks need: some are finished by the node that stops, and some by the other one.
    env: { ...process.env, ...settings, PORT: String(port), GRACE: "1", LEASE_TIME: "6" },
  });
  let said = "";
  child.stderr?.on("data", (piece) => {
    said += piece;
  });
  await answers(`http://127.0.0.1:${port}`, child, () => said);
  return child;
}

async function stopNode(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const [code, signal] = (await exited) as [number | null, string | null];
  assert.deepEqual([code, signal], [0, null], "a node ends by itself and in good order");
}

const stores = [
  {
    name: "SQLite",
    skip: false,
    async open() {
      const { file, remove } = temporaryFile();
      return { settings: { DATABASE_FILE: file }, remove };
    },
  },
  {
    name: "PostgreSQL",
    skip: withoutPostgres,
    open: async () => ({ settings: { DATABASE_URL: await emptyDatabase() }, remove: () => undefined }),
  },
];
const nginx = proxies.find(({ program: name }) => name === "nginx");

for (const { name, skip, open } of stores) {
  test(`a rolling restart of two nodes behind nginx loses no task [${name}]`, {
    skip: skip || nginx === undefined || nginx.skip,
  }, async () => {
    assert.ok(nginx);
    const { settings, remove } = await open();
    const ports = [await freePort(), await freePort()] as const;
    const nodes = [await startNode(ports[0], settings), await startNode(ports[1], settings)];
    const proxy = await startProxy(nginx, ports);
    const ids: string[] = [];
    let isOver = false;
    const refused = new Map<number, unknown>();
    /** A caller repeats what was not taken: the server says so with 503, nginx with 502 and 504. */
    const call = async () => {
      while (!isOver) {
        const body = JSON.stringify(text("8", { configuration: { returnImmediately: true } }));
        const answer = await fetch(`${proxy.url}/message:send`, { method: "POST", headers, body });
        const value = (await answer.json().catch(() => undefined)) as any;
        if (answer.status === 200) ids.push(value.task.id);
        else refused.set(answer.status, value);
        await sleep(100);
      }
    };
    try {
      const calls = Promise.all([call(), call(), call()]);
      await sleep(1500);
      for (const [index, port] of ports.entries()) {
        await stopNode(nodes[index] as ChildProcess);
        nodes[index] = await startNode(port, settings);
        await sleep(1000);
      }
      isOver = true;
      await calls;
      assert.ok(ids.length > 30, `${ids.length} tasks were begun`);
      for (const [status, value] of refused)
        assert.ok([502, 503, 504].includes(status), `status ${status}: ${JSON.stringify(value)}`);
      const until = performance.now() + 60_000;
      for (const id of ids) {
        for (;;) {
          const task = (await (await fetch(`${proxy.url}/tasks/${id}`, { headers })).json()) as any;
          if (task.status?.state === "TASK_STATE_COMPLETED") {
            const numbers = task.artifacts[0].parts.map((part: { text: string }) => part.text).join("");
            assert.equal(numbers, "1\n2\n3\n4\n5\n6\n7\n8\n");
            break;
          }
          assert.ok(performance.now() < until, `${id} is ${JSON.stringify(task.status ?? task)}`);
          await sleep(100);
        }
      }
    } finally {
      isOver = true;
      await proxy.stop();
      await Promise.all(nodes.map(stopNode));
      remove();
    }
  });
}
