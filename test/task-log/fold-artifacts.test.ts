import assert from "node:assert/strict";
import { test } from "vitest";
import type { Artifact } from "../../src/protocol/model.js";
import { foldLog, TaskFold } from "../../src/task-log/fold.js";
import type { LogEntry } from "../../src/task-log/log.js";
import { changed, created, json, partTexts, wrote } from "./entries.js";

const artifactsOf = (...entries: LogEntry[]) => foldLog([created(), ...entries]).task.artifacts ?? [];
const chunk = (artifact: Partial<Artifact>) => wrote({ artifactId: "a", ...artifact }, { append: true });

test("ART-01: an update without append adds an artifact, or replaces it as a whole in its place", () => {
  const [first, second, ...others] = artifactsOf(
    wrote({ artifactId: "a", name: "old", metadata: { old: true }, parts: [{ text: "1" }, { text: "2" }] }),
    wrote({ artifactId: "b" }),
    wrote({ artifactId: "a", parts: [{ text: "3" }] }, { append: false }),
  );
  assert.deepEqual(first, { artifactId: "a", parts: [{ text: "3" }] });
  assert.equal(second?.artifactId, "b");
  assert.deepEqual(others, []);
});

test("ART-01: a replacement drops the chunks appended before it", () => {
  const [artifact] = artifactsOf(
    wrote({ artifactId: "a", parts: [{ text: "1" }] }),
    chunk({ parts: [{ text: "2" }] }),
    wrote({ artifactId: "a", parts: [{ text: "3" }] }),
    chunk({ parts: [{ text: "4" }] }),
  );
  assert.deepEqual(partTexts(artifact), ["3", "4"]);
});

test("ART-02, ART-03: append adds the parts in order and joins none", () => {
  const [artifact] = artifactsOf(
    wrote({ artifactId: "a", parts: [{ text: "1" }] }),
    chunk({ parts: [{ text: "2" }, { text: "3" }] }),
    chunk({ parts: [{ text: "4" }] }),
  );
  assert.deepEqual(partTexts(artifact), ["1", "2", "3", "4"]);
});

test("ART-04: append to an unknown artifact makes it, and says so", () => {
  const fold = new TaskFold();
  assert.equal(fold.apply(created()), undefined);
  assert.equal(fold.apply(chunk({ parts: [{ text: "1" }] })), "append-to-unknown-artifact");
  assert.equal(fold.apply(chunk({ parts: [{ text: "2" }] })), undefined);
  assert.equal(fold.apply(wrote({ artifactId: "b" })), undefined);
  assert.equal(fold.apply(changed("TASK_STATE_WORKING")), undefined);
  assert.deepEqual(partTexts(fold.snapshot().task.artifacts?.[0]), ["1", "2"]);
});

test("ART-05: what a chunk says wins, what it leaves out or empty stays", () => {
  const start = wrote({
    artifactId: "a",
    name: "name",
    description: "description",
    extensions: ["urn:one"],
    metadata: { kept: 1, changed: 1 },
    parts: [{ text: "1" }],
  });
  const silent = chunk({ name: "", description: "", extensions: [], metadata: {}, parts: [] });
  assert.deepEqual(artifactsOf(start, silent), artifactsOf(start));

  const loud = chunk({
    name: "new name",
    description: "new description",
    extensions: ["urn:two"],
    metadata: { changed: { deep: 2 }, added: 3 },
    parts: [{ text: "2" }],
  });
  assert.deepEqual(artifactsOf(start, loud), [
    {
      artifactId: "a",
      name: "new name",
      description: "new description",
      extensions: ["urn:two"],
      metadata: { kept: 1, changed: { deep: 2 }, added: 3 },
      parts: [{ text: "1" }, { text: "2" }],
    },
  ]);
});

test("ART-06, ART-07: a chunk behind the last one is taken in", () => {
  const last = wrote({ artifactId: "a", parts: [{ text: "2" }] }, { append: true, lastChunk: true });
  const [artifact] = artifactsOf(
    wrote({ artifactId: "a", parts: [{ text: "1" }] }),
    last,
    chunk({ parts: [{ text: "3" }] }),
  );
  assert.deepEqual(partTexts(artifact), ["1", "2", "3"]);
  assert.equal(foldLog([created(), last]).task.status.state, "TASK_STATE_WORKING");
});

test("JSONV-18: names like __proto__ in metadata are merged as data", () => {
  const [artifact] = artifactsOf(
    wrote({ artifactId: "a", metadata: json('{"__proto__":{"a":1},"kept":1}') }),
    chunk({ metadata: json('{"__proto__":{"polluted":true},"constructor":2,"prototype":3}') }),
  );
  const metadata = artifact?.metadata ?? {};
  assert.equal(Object.getPrototypeOf(metadata), Object.prototype);
  assert.equal(
    JSON.stringify(metadata),
    '{"__proto__":{"polluted":true},"kept":1,"constructor":2,"prototype":3}',
  );
  assert.equal((metadata as { polluted?: boolean }).polluted, undefined);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("artifacts named like members of every object are artifacts like others", () => {
  const names = ["__proto__", "constructor", "toString", ...Array.from({ length: 40 }, (_, at) => `a${at}`)];
  const log = names.flatMap((artifactId) => [
    wrote({ artifactId, parts: [{ text: "1" }] }),
    wrote({ artifactId, parts: [{ text: "2" }] }, { append: true }),
  ]);
  const artifacts = artifactsOf(...log);
  assert.deepEqual(
    artifacts.map(({ artifactId }) => artifactId),
    names,
  );
  for (const artifact of artifacts) assert.deepEqual(partTexts(artifact), ["1", "2"]);
});
