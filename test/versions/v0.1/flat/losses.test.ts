import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Task } from "../../../../src/protocol/model.js";
import { codec } from "../../../../src/versions/v0.1/flat/codec.js";
import { task } from "../../arbitrary.js";
import { readBack } from "../read-back.js";

const flat = codec.dialectOf?.({ method: "tasks/list", value: {} }) ?? codec;
const runs = { numRuns: 60 };

test("a task reads back as it was, but for empty lists", () => {
  fc.assert(
    fc.property(task, (given) => {
      const {
        artifacts = [],
        history = [],
        ...rest
      } = readBack(flat.encodeResponse("GetTask", given, { id: given.id }), given) as Task;
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
