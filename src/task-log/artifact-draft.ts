import type { Artifact, Part } from "../protocol/model.js";

/** Metadata of a task or an artifact. */
type Metadata = { [key: string]: unknown };

/**
 * Merges metadata by key; the added values win.
 * @param isOwned whether `metadata` may be modified; otherwise the result is a copy
 */
export function mergeMetadata(
  metadata: Metadata | undefined,
  isOwned: boolean,
  added: Readonly<Metadata>,
): Metadata {
  const target = isOwned && metadata ? metadata : { ...metadata };
  for (const key of Object.keys(added)) {
    // `defineProperty` instead of assignment: a key such as "__proto__" is data and must not reach a setter.
    Object.defineProperty(target, key, {
      value: added[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return target;
}

/**
 * The members of an object whose names are not in `known`; undefined when there are none. The fold keeps them, because they may be
 * members of a later protocol version.
 */
export function furtherMembers<T extends object>(
  value: T,
  known: ReadonlySet<string>,
): Partial<T> | undefined {
  let further: Partial<T> | undefined;
  // A loop, because `Object.keys` would allocate a list for every chunk of a stream.
  for (const name in value) {
    if (known.has(name)) continue;
    further ??= {};
    further[name as keyof T] = value[name as keyof T];
  }
  return further;
}

/**
 * Arrays up to this length are copied to their exact size before they are shared, because a growing array reserves spare
 * capacity.
 */
const SMALL_LIST = 32;

/**
 * A list that grows in place and is shared with readers. A shared list is frozen, and the next change works on a copy, so that readers keep
 * the list they got. Further items are added to that copy at constant cost. Sharing copies only a short list, or an initial one that is
 * not frozen.
 */
export class GrowingList<Item> {
  #items: Item[];
  #owned = false;

  /** @param items initial content, never modified; a frozen list is shared again as long as nothing changes */
  constructor(items: readonly Item[] = []) {
    // Modified only after `#own` has replaced it with a copy.
    this.#items = items as Item[];
  }

  /** The current list, not to be kept: it may change. */
  get items(): readonly Item[] {
    return this.#items;
  }

  /** Adds an item at the end. */
  push(item: Item): void {
    this.#own();
    this.#items.push(item);
  }

  /** Replaces an item. */
  set(index: number, item: Item): void {
    this.#own();
    this.#items[index] = item;
  }

  /** The current list, frozen. */
  share(): Item[] {
    if (!Object.isFrozen(this.#items)) {
      const exact = !this.#owned || this.#items.length <= SMALL_LIST ? this.#items.slice() : this.#items;
      this.#items = Object.freeze(exact) as Item[];
    }
    this.#owned = false;
    return this.#items;
  }

  #own(): void {
    if (this.#owned) return;
    // Spread, because `slice` of a frozen array takes V8's slow path.
    this.#items = [...this.#items];
    this.#owned = true;
  }
}

const known: ReadonlySet<string> = new Set<keyof Artifact>([
  "artifactId",
  "name",
  "description",
  "parts",
  "metadata",
  "extensions",
]);

/** An artifact that is still receiving chunks (§4.2.2). */
export class ArtifactDraft {
  readonly #parts: GrowingList<Part>;
  #name: string | undefined;
  #description: string | undefined;
  #metadata: Artifact["metadata"];
  #ownsMetadata = false;
  #extensions: Artifact["extensions"];
  #further: Partial<Artifact> | undefined;
  readonly #artifactId: string;

  constructor(artifact: Artifact) {
    this.#artifactId = artifact.artifactId;
    this.#parts = new GrowingList(artifact.parts);
    this.#name = artifact.name;
    this.#description = artifact.description;
    this.#metadata = artifact.metadata;
    this.#extensions = artifact.extensions;
    this.#further = furtherMembers(artifact, known);
  }

  /**
   * Appends the parts of the chunk (§4.2.2). Its metadata is merged by key. Its name, description and extensions replace the earlier ones
   * unless they are empty. Members that the model does not define replace earlier ones of the same name.
   */
  append(chunk: Artifact): void {
    for (const part of chunk.parts) this.#parts.push(part);
    this.#name = chunk.name || this.#name;
    this.#description = chunk.description || this.#description;
    if (chunk.extensions?.length) this.#extensions = chunk.extensions;
    if (chunk.metadata !== undefined) {
      this.#metadata = mergeMetadata(this.#metadata, this.#ownsMetadata, chunk.metadata);
      this.#ownsMetadata = true;
    }
    const further = furtherMembers(chunk, known);
    if (further !== undefined) this.#further = { ...this.#further, ...further };
  }

  /**
   * Returns the current artifact; it and its list of parts are frozen. The draft must not be used afterwards: a further chunk needs a
   * new one.
   */
  close(): Artifact {
    const parts = this.#parts.share();
    if (this.#ownsMetadata) Object.freeze(this.#metadata);
    return Object.freeze({
      artifactId: this.#artifactId,
      ...(this.#name !== undefined && { name: this.#name }),
      ...(this.#description !== undefined && { description: this.#description }),
      parts,
      ...(this.#metadata !== undefined && { metadata: this.#metadata }),
      ...(this.#extensions !== undefined && { extensions: this.#extensions }),
      ...this.#further,
    });
  }
}
