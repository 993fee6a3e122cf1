import type { StreamResponse } from "../../model.js";

/**
 * The size of what a stream has brought of its task and its reader keeps: artifacts, which a later version replaces and a chunk
 * extends, and the messages of updates, which become history.
 */
export class StreamedSize {
  readonly #artifacts = new Map<string, number>();
  #total = 0;

  /**
   * Counts an event.
   * @param length characters of its JSON
   * @returns characters of all that is kept
   */
  after({ task, statusUpdate, artifactUpdate }: StreamResponse, length: number): number {
    if (task !== undefined) {
      this.#artifacts.clear();
      this.#total = length;
    } else if (statusUpdate?.status?.message !== undefined) this.#total += length;
    else if (artifactUpdate?.artifact !== undefined) {
      const { artifact, append = false } = artifactUpdate;
      const before = this.#artifacts.get(artifact.artifactId) ?? 0;
      const after = append ? before + length : length;
      this.#artifacts.set(artifact.artifactId, after);
      this.#total += after - before;
    }
    return this.#total;
  }
}
