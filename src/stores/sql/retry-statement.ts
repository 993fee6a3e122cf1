import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";

/** Default of `maxWait`, in milliseconds. */
const MAX_WAIT_MS = 30_000;

/** Milliseconds between two attempts after a fault of the connection, before jitter: first and longest pause. */
const PAUSES_MS: BackoffRange = { first: 25, longest: 1000 };

/** Factor on the usual time limit, for statements that may take longer, such as those of a sweep. */
export const BACKGROUND = 6;

/** Decides which failed attempts are repeated. */
interface RetriedFaults {
  /** Whether another transaction has caused an error: the next attempt follows after at most the first pause. */
  isCollision(error: unknown): boolean;
  /** Whether an error comes from the connection, or from a server that cannot be used. */
  isConnectionFault(error: unknown): boolean;
  /** Whether the database was closed. An attempt that fails after that is not repeated. */
  isClosed(): boolean;
}

/**
 * Repeats an action that fails because of its connection or another transaction.
 * @param maxWait milliseconds after which a failed attempt is not repeated
 * @throws what the last attempt throws
 */
export async function retryStatement<Result>(
  run: () => Promise<Result>,
  { isCollision, isConnectionFault, isClosed }: RetriedFaults,
  maxWait = MAX_WAIT_MS,
): Promise<Result> {
  const until = performance.now() + maxWait;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const isTransient = isCollision(error) || isConnectionFault(error);
      if (!isTransient || isClosed() || performance.now() > until) throw error;
      const pause = exponentialDelay(PAUSES_MS, attempt) * (0.5 + Math.random() / 2);
      const delay = isCollision(error) ? Math.random() * PAUSES_MS.first : pause;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
