import type { Task } from "../../../src/protocol/model.js";
import type { FirstDraftContext } from "../../../src/versions/v0.1/content.js";
import { firstDraftContextOf, task as tasks } from "../../../src/versions/v0.1/tasks.js";

const place: FirstDraftContext = {
  taskId: undefined,
  contextId: undefined,
  messageId: (what) => `t/${what}`,
};

/** A task as a codec of the draft wrote it, read again. Time stands for the name of a status message. */
export function readBack(written: unknown, { id, status: { timestamp = "" } }: Task): unknown {
  const messageId = (what: string) => `${id}/${what.startsWith("status-") ? `status-${timestamp}` : what}`;
  return JSON.parse(
    JSON.stringify(
      tasks.read(written, { ...firstDraftContextOf({ ...(written as object) }, place), messageId }),
    ),
  );
}
