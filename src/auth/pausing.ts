/** Milliseconds for which a failure stands. */
const PAUSE_MS = 5_000;

/**
 * Makes a reader whose failure stands for a while, and whose callers share one attempt: whoever sends made-up credentials
 * cannot make this server knock at another one's door.
 */
export function pausing<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let attempt: Promise<Value> | undefined;
  let until = 0;
  return () => {
    if (attempt !== undefined && (until === 0 || Date.now() < until)) return attempt;
    until = 0;
    attempt = read();
    attempt.then(
      () => {
        attempt = undefined;
      },
      () => {
        until = Date.now() + PAUSE_MS;
      },
    );
    return attempt;
  };
}
