import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { isTask, isTaskUpdateEvent } from "../../../generated/v0.1/validators.js";
import type { Task } from "../../../src/model.js";
import { codec } from "../../../src/wire/v0.1/codec.js";
import type { Place } from "../../../src/wire/v0.1/content.js";
import { placeOf, task as tasks } from "../../../src/wire/v0.1/tasks.js";
import { codec as flatCodec } from "../../../src/wire/v0.1x/codec.js";
import { event, task } from "../arbitrary.js";
import { losses, saidInDraft } from "./losses.js";

const docs = readFileSync(new URL("../../../docs/versions.md", import.meta.url), "utf8");
const place: Place = { taskId: undefined, contextId: undefined, messageId: (what) => `t/${what}` };
const runs = { numRuns: 60 };
const flat = flatCodec.dialectOf?.({ method: "tasks/list", headers: {}, value: {} }) ?? flatCodec;

/** The task written by a codec and read again. Time stands for the name of a status message. */
function backFrom(given: Task, by = codec): unknown {
  const written = by.encodeResponse("GetTask", given, { id: given.id });
  if (by === codec) assert.ok(isTask(written), JSON.stringify(isTask.errors));
  const messageId = (what: string) =>
    `${given.id}/${what.startsWith("status-") ? `status-${given.status.timestamp ?? ""}` : what}`;
  return JSON.parse(
    JSON.stringify(tasks.read(written, { ...placeOf({ ...(written as object) }, place), messageId })),
  );
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

test("a task written in the flat dialect reads back as it was, but for empty lists", () => {
  fc.assert(
    fc.property(task, (given) => {
      const { artifacts = [], history = [], ...rest } = backFrom(given, flat) as Task;
      const whole = (one: object): object => ({
        ...one,
        taskId: given.id,
        contextId: given.contextId,
        referenceTaskIds: [],
      });
      const said = (one: object | undefined): object | undefined => one && { ...whole(one), ...pick(one) };
      assert.deepEqual(artifacts, given.artifacts ?? []);
      assert.deepEqual(history, (given.history ?? []).map(said));
      assert.deepEqual(rest.status.state, given.status.state);
      assert.deepEqual(rest.status.message, said(given.status.message));
    }),
    runs,
  );
});

function pick({ referenceTaskIds }: { referenceTaskIds?: string[] }): object {
  return referenceTaskIds ? { referenceTaskIds } : {};
}

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
