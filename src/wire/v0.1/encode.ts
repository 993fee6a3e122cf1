import type { Shape } from "./encoder.js";
import { webhook } from "./push.js";
import { statusUpdate, task, writeArtifactUpdate } from "./tasks.js";

/** The shapes of the first draft. Whatever has no place in them is left out (the table of losses is in the tests). */
export const shape: Shape = {
  task: (given, hasHistory) => {
    const written = task.write(given);
    return hasHistory ? { ...written, history: written.history ?? [] } : written;
  },
  statusEvent: (event, final) => ({ ...statusUpdate.write(event), final }),
  artifactEvent: writeArtifactUpdate,
  webhook: (taskId, config) => ({
    id: taskId,
    pushNotificationConfig: config ? webhook.write(config) : null,
  }),
  notification: (event, current) => {
    if (current === undefined) return undefined;
    const eventType = event.artifactUpdate === undefined ? "status" : "artifact";
    const { timestamp } = current.status;
    return { ...task.write(current), taskId: current.id, eventType, ...(timestamp && { timestamp }) };
  },
};
