import type { StreamResponse } from "../../model.js";
import { isJsonObject } from "../../wire/json-text.js";

/**
 * The size of what a stream has brought of its task and its reader keeps: artifacts, which a later version replaces and a chunk
 * extends, the messages of updates, which become history, and their metadata, which is added to that of the task by key.
 */
export class StreamedSize {
  /** Characters of what later events replace, by its place in the task. */
  readonly #places = new Map<string, number>();
  #total = 0;

  /**
   * Counts an event.
   * @param length characters of its JSON
   * @returns characters of all that is kept
   */
  after({ task, statusUpdate, artifactUpdate }: StreamResponse, length: number): number {
    if (task !== undefined) {
      this.#places.clear();
      this.#total = length;
    } else if (statusUpdate !== undefined) {
      if (statusUpdate.status?.message !== undefined) this.#total += length;
      if (isJsonObject(statusUpdate.metadata)) this.#addMetadata(statusUpdate.metadata);
    } else if (artifactUpdate?.artifact !== undefined) {
      const { artifact, append = false } = artifactUpdate;
      const place = `artifacts ${artifact.artifactId}`;
      this.#put(place, append ? (this.#places.get(place) ?? 0) + length : length);
    }
    return this.#total;
  }

  #addMetadata(metadata: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(metadata)) {
      this.#put(`metadata ${key}`, key.length + JSON.stringify(value).length);
    }
  }

  #put(place: string, length: number): void {
    this.#total += length - (this.#places.get(place) ?? 0);
    this.#places.set(place, length);
  }
}
