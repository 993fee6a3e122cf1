/** Limits on the unknown members of one value that are kept. */
interface UnknownBound {
  /** Maximum number of members; further ones are dropped. */
  readonly members: number;
  /** Maximum characters of their names and of their values as JSON, together. The member that exceeds it and all later ones are dropped. */
  readonly characters: number;
}

/** Limits for a request: enough for the additions of a later version, but not for a second payload (§13.4). */
export const REQUEST_BOUND: UnknownBound = { members: 1000, characters: 64 * 1024 };

/**
 * Names of older versions, drafts and guides. Unknown members with these names are dropped, also in snake_case (§5.7, §3.2.2, §1.4).
 */
const retired: ReadonlySet<string> = new Set([
  "kind",
  "type",
  "final",
  "blocking",
  "index",
  "createdAt",
  "lastModified",
  "configId",
  "taskStatusUpdate",
  "taskArtifactUpdate",
  "cursor",
  "limit",
]);

/**
 * Collects the unknown members of a value while it is read, and restores them after validation, so that members of a later version are
 * passed on. {@link UnknownMembers.note} says which are dropped.
 */
export class UnknownMembers {
  readonly #found: [target: Record<string, unknown>, name: string, value: unknown][] = [];
  readonly #types: ReadonlySet<string>;
  readonly #bound: UnknownBound | undefined;
  #characters = 0;

  /**
   * @param types names of the types whose unknown members are kept
   * @param bound limits beyond which members are dropped; by default there are none
   */
  constructor(types: ReadonlySet<string>, bound?: UnknownBound) {
    this.#types = types;
    this.#bound = bound;
  }

  /** Whether unknown members of a type are kept. */
  takes(type: string): boolean {
    return this.#types.has(type);
  }

  /**
   * Records a member of `target`. Names that objects inherit, such as `__proto__` and `toString`, retired names, and members beyond the
   * limits are dropped (§13.4).
   */
  note(target: Record<string, unknown>, name: string, value: unknown): void {
    if (name in Object.prototype || retired.has(camelCase(name)) || !this.#hasRoom(name, value)) return;
    this.#found.push([target, name, value]);
  }

  /** Adds all recorded members to their objects. */
  restore(): void {
    for (const [target, name, value] of this.#found) target[name] = value;
  }

  #hasRoom(name: string, value: unknown): boolean {
    if (this.#bound === undefined) return true;
    if (this.#found.length >= this.#bound.members || this.#characters > this.#bound.characters) return false;
    this.#characters += name.length + JSON.stringify(value).length;
    return this.#characters <= this.#bound.characters;
  }
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
