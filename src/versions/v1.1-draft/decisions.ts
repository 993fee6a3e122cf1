import type { additions } from "../../../generated/v1.1-draft/additions.js";
import { type DecisionsOn, implemented } from "../decisions.js";

/** The decisions about the additions of protocol 1.1-draft. */
export const decisions = {
  requestMembers: {
    "SendMessageConfiguration.ifGenerationMatch": implemented,
    "GetTaskRequest.currentGeneration": implemented,
  },
  responseMembers: {
    "Task.generation": implemented,
    "TaskStatusUpdateEvent.generation": implemented,
    "TaskArtifactUpdateEvent.generation": implemented,
  },
  errors: {
    TASK_GENERATION_MISMATCH: implemented,
  },
  operations: {},
} as const satisfies DecisionsOn<typeof additions>;
