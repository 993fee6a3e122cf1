import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { foldLog } from "../../src/task-log/fold.js";
import { program } from "../support/program.js";
import { root } from "../support/root.js";
import { changed, wrote } from "../task-log/entries.js";
import { openStore } from "./open-store.js";
import { scope } from "./scope.js";

/** An append that its writer was told of. */
interface Acknowledged {
  readonly id: string;
  readonly generation: number;
  readonly name: string;
}

/** Lets writers append to the same tasks, and kills them once each has been told of so many appends. */
export async function killWriters(
  url: string,
  names: readonly string[],
  { ids, appends }: { readonly ids: readonly string[]; readonly appends: number },
): Promise<Acknowledged[]> {
  const acknowledged = await Promise.all(
    names.map(async (name) => {
      const child = spawn(process.execPath, [...program("test/stores/writer.ts"), url, name, ...ids], {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"],
      });
      return read(child, appends);
    }),
  );
  return acknowledged.flat();
}

/** Kills a writer in the midst of its work; what it had been told is what it could print. */
async function read(child: ChildProcess, appends: number): Promise<Acknowledged[]> {
  assert.ok(child.stdout);
  const exit = once(child, "exit");
  const found: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = "", generation = "", name = ""] = line.split(" ");
    // The last line may be cut.
    if (name !== "") found.push({ id, generation: Number(generation), name });
    if (found.length === appends) child.kill("SIGKILL");
  }
  await exit;
  return found;
}

/** Fails unless every log is whole, holds all that was acknowledged, and goes on. */
export async function testLogs(url: string, ids: readonly string[], acknowledged: readonly Acknowledged[]) {
  const store = await openStore(url);
  for (const id of ids) {
    const entries = (await store.read(scope, id, 0)) ?? [];
    assert.deepEqual(
      entries.map(({ generation }) => generation),
      entries.map((_, index) => index + 1),
    );
    for (const { generation, name } of acknowledged.filter((one) => one.id === id && one.generation > 1)) {
      const artifact = entries[generation - 1]?.event.artifactUpdate?.artifact;
      assert.deepEqual([artifact?.artifactId, artifact?.parts[0]?.text], [name, `${generation}`]);
    }
    const snapshot = await store.load(scope, id);
    assert.deepEqual(snapshot, foldLog(entries));
    const more = [wrote({ artifactId: "after" }, {}, id), changed("TASK_STATE_COMPLETED", { id })];
    assert.equal(await store.append(scope, id, entries.length, more), entries.length + 2);
  }
  await store.close();
}
