import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** Marks errors of a store. Recognised across copies of this package, where `instanceof` is not. */
const BRAND = Symbol.for("a2a-parley.store-error");

/**
 * Why a store did not carry out a write:
 * - `transient`: it cannot write for now, as when there is no connection or the disk is full. The same write may succeed later.
 * - `permanent`: it will not write until an operator has changed something, as when a table is missing or may not be written.
 * - `entry`: it refuses this write for what is in it, as when an entry is larger than the store can hold. Other writes succeed.
 *
 * A store that has no room throws {@link StoreFull}.
 */
export type StoreErrorKind = "transient" | "permanent" | "entry";

/**
 * Thrown by {@link TaskStore.append} to say how the failure is to be dealt with, when the log is not the reason. Nothing, or
 * for `transient` perhaps everything, was stored. Local to the process; it never crosses the wire.
 *
 * The execution that writes the log makes a `transient` write again for as long as its lease lasts. At a `permanent` one, and
 * once it has found the entry at fault after one of kind `entry`, it tries to end the task as FAILED, logs the error, and
 * releases the task. An error that is no `StoreError` counts as `transient`, but no longer than one lease time.
 *
 * @example
 * if (body.length > 400_000) throw new StoreError("entry", `An item of ${body.length} bytes is over the limit of 400,000`);
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;
  readonly [BRAND] = true;

  /** @param options `cause` is the error of the database, for logs */
  constructor(kind: StoreErrorKind, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** What takes the room, by whose bound was reached. */
const reasons = {
  owner:
    "Your tasks take as much room as the server has for one caller: finish or cancel some, then try again",
  all: "The tasks of all callers take as much room as the server has: try again later",
};

/**
 * Thrown by a store that has no room for a write, by the bound for one owner or by that for all. Nothing was stored. The caller whose
 * request needs the room is told UNAVAILABLE; a task at work whose entry there is no room for ends as FAILED.
 */
export class StoreFull extends A2AError {
  readonly kind = "full";
  readonly [BRAND] = true;

  constructor(bound: keyof typeof reasons) {
    super("UNAVAILABLE", reasons[bound], { retryAfter: RETRY_SECONDS });
  }
}

/** How a failure of a store is to be dealt with; undefined when the store does not say. */
export function kindOfFailure(error: unknown): StoreErrorKind | StoreFull["kind"] | undefined {
  return error instanceof Error && BRAND in error ? (error as StoreError | StoreFull).kind : undefined;
}

/** Whether a store says that the same write fails again however often it is made. */
export function isRefusal(error: unknown): boolean {
  const kind = kindOfFailure(error);
  return kind !== undefined && kind !== "transient";
}
