import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** Marks errors of a store. Unlike `instanceof`, it works across several copies of this package. */
const BRAND = Symbol.for("a2a-parley.store-error");

/**
 * Why a write failed:
 * - `transient`: the store cannot write at the moment, for example without a connection or with a full disk. The same write may succeed
 *   later.
 * - `permanent`: it cannot write until an operator changes something, for example when a table is missing or a file is read-only.
 * - `entry`: it refuses this write because of its content, for example because an entry is too large. Other writes can succeed.
 *
 * When a write would exceed a bound on the store's memory, the store throws {@link StoreFull} instead.
 */
export type StoreErrorKind = "transient" | "permanent" | "entry";

/**
 * Thrown by {@link TaskStore.append} when the write itself fails; other methods that write may throw it, too. Its kind says how to handle
 * the failure. Nothing was stored, except that after a `transient` error all entries may have been. Local to the process; it never crosses
 * the wire.
 *
 * After a `transient` error, the engine repeats an append while it holds the lease on the task; without a lease it does not. After a
 * `permanent` error, or an error of kind `entry` for a single entry, it tries to end a running task as FAILED, and logs the error. It
 * handles an error of an unknown class like a `transient` one until appends have failed for about the duration of a lease.
 *
 * @example
 * ```ts
 * if (body.length > 400_000) throw new StoreError("entry", `An item of ${body.length} bytes exceeds the limit of 400,000`);
 * ```
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  /** Why the write failed. */
  readonly kind: StoreErrorKind;
  readonly [BRAND] = true;

  /** @param options `cause` is the underlying error, for logs */
  constructor(kind: StoreErrorKind, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** The message for each bound. */
const reasons = {
  owner:
    "Your tasks use all the memory that the server has for one caller: finish or cancel some, then try again",
  all: "The tasks of all callers use all the memory of the server: try again later",
};

/**
 * Thrown by a store that has no room for a write, because of the bound on one owner (`owner`) or on all (`all`). Nothing was stored. The
 * caller gets UNAVAILABLE. If a running task has no room for its next entry, the engine tries to end it as FAILED.
 * @example `if (size > room) throw new StoreFull("all");`
 */
export class StoreFull extends A2AError {
  /** Always `full`, which is not a kind of {@link StoreError}. */
  readonly kind = "full";
  readonly [BRAND] = true;

  constructor(bound: keyof typeof reasons) {
    super("UNAVAILABLE", reasons[bound], { retryAfter: RETRY_SECONDS });
  }
}

/** The kind of a {@link StoreError} or {@link StoreFull}; undefined for any other error. */
export function kindOfFailure(error: unknown): StoreErrorKind | StoreFull["kind"] | undefined {
  return error instanceof Error && BRAND in error ? (error as StoreError | StoreFull).kind : undefined;
}

/**
 * Whether a store has refused a write, so that repeating it immediately is useless: the error is a {@link StoreFull}, or a
 * {@link StoreError} of a kind other than `transient`.
 */
export function isRefusal(error: unknown): boolean {
  const kind = kindOfFailure(error);
  return kind !== undefined && kind !== "transient";
}
