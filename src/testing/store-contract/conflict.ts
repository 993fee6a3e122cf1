import assert from "node:assert/strict";
import { GenerationConflict } from "../../stores/task-store.js";

/** Fails unless the append is refused as one that came too late, and gives where the log was said to be. */
export async function conflict(appended: Promise<number>): Promise<number> {
  const error = await appended.then(
    () => assert.fail("the append was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GenerationConflict);
  return error.current;
}
