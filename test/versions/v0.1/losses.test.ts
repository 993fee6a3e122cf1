import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { test } from "vitest";
import { isTask, isTaskUpdateEvent } from "../../../generated/v0.1/validators.js";
import type { Task } from "../../../src/protocol/model.js";
import { codec } from "../../../src/versions/v0.1/codec.js";
import { event, task } from "../arbitrary.js";
import { losses, saidInDraft } from "./losses.js";
import { readBack } from "./read-back.js";

const docs = readFileSync(new URL("../../../docs/versions.md", import.meta.url), "utf8");
const runs = { numRuns: 60 };

/** The task written as 0.1 and read again. */
function backFrom(given: Task): unknown {
  const written = codec.encodeResponse("GetTask", given, { id: given.id });
  assert.ok(isTask(written), JSON.stringify(isTask.errors));
  return readBack(written, given);
}

for (const { name, given, back } of losses) {
  test(`0.1 cannot say: ${name}`, () => {
    const common: Task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
    assert.deepEqual(backFrom({ ...common, ...given }), JSON.parse(JSON.stringify({ ...common, ...back })));
    assert.notDeepEqual(given, back);
    assert.ok(docs.includes(`| ${name} |`), "docs/versions.md has a row for it");
  });
}

test("LEG-03: a task written as 0.1 is valid there and reads back as it was, but for what the table says", () => {
  fc.assert(
    fc.property(task, (given) => {
      assert.deepEqual(backFrom(given), saidInDraft(given));
    }),
    runs,
  );
});

test("every event is valid in 0.1, and its text has no line breaks", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), (events) => {
      const write = codec.eventWriter("SendStreamingMessage");
      for (const given of events) {
        const text = write(given);
        assert.doesNotMatch(text, /[\r\n]/);
        assert.ok(isTaskUpdateEvent(JSON.parse(text)), JSON.stringify(isTaskUpdateEvent.errors));
      }
    }),
    runs,
  );
});
