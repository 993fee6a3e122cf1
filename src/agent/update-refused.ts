import { A2AError } from "../protocol/errors.js";

/**
 * Thrown into an executor when what it yielded breaks the contract: a shape that the schema refuses, data that is not JSON, a
 * forbidden transition, a message beside a task, an output that its skill does not give. The text names the member. Nothing of
 * the update was stored. Not caught, it fails the task. Never crosses the wire.
 */
export class UpdateRefused extends Error {
  override readonly name = "UpdateRefused";

  /** What the caller is told when no task came of it, or when a message was mixed with a task (§3.3.2). */
  answer(): A2AError {
    return new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause: this });
  }
}

/** What the caller is told of what an executor threw when no task came of its message. Never throws, whatever was thrown. */
export function answerTo(thrown: unknown): A2AError {
  try {
    if (thrown instanceof UpdateRefused) return thrown.answer();
  } catch {
    // A proxy that throws when it is asked.
  }
  return A2AError.from(thrown);
}
