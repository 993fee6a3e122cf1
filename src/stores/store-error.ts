/** Marks errors of a store. Recognised across copies of this package, where `instanceof` is not. */
const BRAND = Symbol.for("a2a-parley.store-error");

/**
 * Why a store did not carry out a write:
 * - `transient`: it cannot write for now, as when there is no connection or the disk is full. The same write may succeed later.
 * - `permanent`: it will not write until an operator has changed something, as when a table is missing or may not be written.
 * - `entry`: it refuses this write for what is in it, as when an entry is larger than the store can hold. Other writes succeed.
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

/** How a failure of a store is to be dealt with; undefined when the store does not say. */
export function kindOfFailure(error: unknown): StoreErrorKind | undefined {
  return error instanceof Error && BRAND in error ? (error as StoreError).kind : undefined;
}

/** Whether a store says that the same write fails again however often it is made. */
export function isRefusal(error: unknown): boolean {
  const kind = kindOfFailure(error);
  return kind === "entry" || kind === "permanent";
}
