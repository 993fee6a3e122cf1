import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Artifact, Message, Task, TaskState } from "../../src/protocol/model.js";
import { foldLog, TaskFold } from "../../src/task-log/fold.js";
import type { LogEntry, TaskSnapshot } from "../../src/task-log/log.js";
import { contextId, copyOf, taskId } from "./entries.js";

/** The rules of the fold written as plainly as can be: a new task for every entry, nothing shared, no cost spared. */
function naive(task: Task | undefined, { event, message }: LogEntry): Task {
  if (event.task) return withoutEmpty(copyOf(event.task));
  assert.ok(task);
  const next = copyOf(task);
  const history = next.history ?? [];
  if (event.statusUpdate && next.status.message) history.push(next.status.message);
  if (message)
    history.push({ ...message, taskId: task.id, ...(task.contextId && { contextId: task.contextId }) });
  if (event.statusUpdate) next.status = copyOf(event.statusUpdate.status);
  const added = event.statusUpdate?.metadata ?? {};
  if (Object.keys(added).length > 0) next.metadata = { ...next.metadata, ...added };
  const artifacts = next.artifacts ?? [];
  if (event.artifactUpdate) {
    const { artifact, append } = copyOf(event.artifactUpdate);
    const at = artifacts.findIndex((one) => one.artifactId === artifact.artifactId);
    if (at === -1) artifacts.push(artifact);
    else artifacts[at] = append ? merged(artifacts[at]!, artifact) : artifact;
  }
  return withoutEmpty({ ...next, artifacts, history });
}

function merged(stored: Artifact, chunk: Artifact): Artifact {
  const extensions = chunk.extensions?.length ? chunk.extensions : stored.extensions;
  return {
    ...stored,
    parts: [...stored.parts, ...chunk.parts],
    ...(chunk.name && { name: chunk.name }),
    ...(chunk.description && { description: chunk.description }),
    ...(chunk.metadata && { metadata: { ...stored.metadata, ...chunk.metadata } }),
    ...(extensions && { extensions }),
  };
}

function withoutEmpty({ artifacts, history, ...rest }: Task): Task {
  return { ...rest, ...(artifacts?.length && { artifacts }), ...(history?.length && { history }) };
}

const parts = fc.array(
  fc.string({ maxLength: 3 }).map((text) => ({ text })),
  { minLength: 1, maxLength: 3 },
);
/** Through JSON, so that a key `__proto__` is a member. */
const metadata = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.jsonValue({ maxDepth: 1 })))
  .map((pairs) => JSON.parse(`{${pairs.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join()}}`));
const message: fc.Arbitrary<Message> = fc.record(
  {
    messageId: fc.uuid(),
    role: fc.constantFrom("ROLE_USER" as const, "ROLE_AGENT" as const),
    parts,
    taskId: fc.constantFrom("", taskId),
    contextId: fc.constantFrom("", contextId),
  },
  { requiredKeys: ["messageId", "role", "parts"], noNullPrototype: true },
);
const status = fc.record(
  {
    state: fc.constantFrom<TaskState>(
      "TASK_STATE_WORKING",
      "TASK_STATE_INPUT_REQUIRED",
      "TASK_STATE_COMPLETED",
    ),
    message,
    timestamp: fc.constantFrom("2025-01-01T00:00:00.000Z"),
  },
  { requiredKeys: ["state"], noNullPrototype: true },
);
const artifact: fc.Arbitrary<Artifact> = fc.record(
  {
    artifactId: fc.constantFrom("a", "b", "c", ...Array.from({ length: 20 }, (_, at) => `many-${at}`)),
    parts,
    name: fc.string({ maxLength: 2 }),
    description: fc.string({ maxLength: 2 }),
    metadata,
    extensions: fc.array(fc.constantFrom("urn:x", "urn:y"), { maxLength: 2 }),
  },
  { requiredKeys: ["artifactId", "parts"], noNullPrototype: true },
);
const task: fc.Arbitrary<Task> = fc.record(
  {
    id: fc.constant(taskId),
    contextId: fc.constant(contextId),
    status,
    artifacts: fc.uniqueArray(artifact, { maxLength: 2, selector: (one) => one.artifactId }),
    history: fc.array(message, { maxLength: 2 }),
    metadata,
  },
  { requiredKeys: ["id", "status"], noNullPrototype: true },
);
const update: fc.Arbitrary<LogEntry> = fc.record(
  {
    event: fc.oneof(
      fc
        .record({ status, metadata }, { requiredKeys: ["status"], noNullPrototype: true })
        .map((one): LogEntry["event"] => ({ statusUpdate: { taskId, contextId, ...one } })),
      fc
        .record({ artifact, append: fc.boolean() })
        .map((one): LogEntry["event"] => ({ artifactUpdate: { taskId, contextId, ...one } })),
    ),
    message,
  },
  { requiredKeys: ["event"], noNullPrototype: true },
);
const log: fc.Arbitrary<LogEntry[]> = fc
  .tuple(task, fc.array(update, { maxLength: 60 }))
  .map(([first, rest]) => [{ event: { task: first } }, ...rest]);

test("HIST-11, HIST-12, ART-01, ART-02, ART-05: the fold of every log is what the rules written plainly give", () => {
  fc.assert(
    fc.property(log, (entries) => {
      const plain = entries.reduce<Task | undefined>((before, entry) => naive(before, entry), undefined);
      assert.deepEqual(foldLog(entries), { task: plain, generation: entries.length });
    }),
    { numRuns: 300 },
  );
});

test("a snapshot taken anywhere equals the fold of the log so far and never changes", () => {
  fc.assert(
    fc.property(log, fc.infiniteStream(fc.boolean()), (entries, take) => {
      const fold = new TaskFold();
      const taken: { snapshot: TaskSnapshot; copy: TaskSnapshot; length: number }[] = [];
      for (const [index, entry] of entries.entries()) {
        fold.apply(entry);
        if (!take.next().value) continue;
        const snapshot = fold.snapshot();
        taken.push({ snapshot, copy: copyOf(snapshot), length: index + 1 });
      }
      for (const { snapshot, copy, length } of taken) {
        assert.deepEqual(snapshot, copy);
        assert.deepEqual(snapshot, foldLog(entries.slice(0, length)));
      }
    }),
    { numRuns: 200 },
  );
});

test("ART-09: from any snapshot the rest of the log leads to the same task", () => {
  fc.assert(
    fc.property(log, fc.nat(), (entries, at) => {
      const cut = 1 + (at % entries.length);
      assert.deepEqual(foldLog(entries.slice(cut), foldLog(entries.slice(0, cut))), foldLog(entries));
    }),
    { numRuns: 200 },
  );
});
