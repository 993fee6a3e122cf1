import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { collect, serveExecutor, text } from "../support/peer.js";

const CHUNKS = 2000;
/** Lists at least this long are counted: longer than any batch of entries. */
const LONG = 300;

/** Counts copies of long lists while some work is done. All ways to copy a list go through one of these. */
async function copiesDuring(work: () => Promise<void>): Promise<string[]> {
  const copies: string[] = [];
  const names = ["slice", "concat", "map", Symbol.iterator] as const;
  const originals = names.map((name) => [name, Array.prototype[name]] as const);
  for (const [name, original] of originals) {
    const counted = function (this: unknown[], ...args: never[]) {
      if (this.length >= LONG && "text" in Object(this[0])) copies.push(`${String(name)} of ${this.length}`);
      return (original as (...args: never[]) => unknown).apply(this, args);
    };
    Object.defineProperty(Array.prototype, name, { value: counted, writable: true, configurable: true });
  }
  try {
    await work();
  } finally {
    for (const [name, value] of originals) {
      Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true });
    }
  }
  return copies;
}

test("ART-02: no chunk of an artifact copies the parts that are there already", async (t) => {
  const store = new MemoryStore();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      const result = artifact({ name: "result" });
      for (let chunk = 0; chunk < CHUNKS; chunk += 1) yield result.text(`${chunk} `);
    },
    { store },
  );
  let id = "";
  const copies = await copiesDuring(async () => {
    const frames = await collect(rpc.stream("SendStreamingMessage", text("go")));
    assert.equal(frames.length, CHUNKS + 2);
    id = frames[0]?.data.task.id;
  });
  const { result } = await rpc.call("GetTask", { id });
  assert.equal(result.artifacts[0].parts.length, CHUNKS);
  assert.deepEqual(copies, []);
});

test("copies of long lists are seen by the count", async () => {
  const parts = Array.from({ length: LONG }, () => ({ text: "" }));
  const copies = await copiesDuring(async () => {
    assert.equal([...parts].length, LONG);
    assert.equal(parts.slice().length, LONG);
  });
  assert.deepEqual(copies, [`Symbol(Symbol.iterator) of ${LONG}`, `slice of ${LONG}`]);
});
