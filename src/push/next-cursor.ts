import type { Clock } from "../async/clock.js";
import { withDeadline } from "../async/deadlines.js";
import { callHook } from "../async/hook.js";
import { endsTask } from "../protocol/lifecycle.js";
import type { Logger } from "../protocol/logger.js";
import type { PushCursor, PushRecord } from "../stores/push-store.js";
import type { StoredEntry } from "../stores/task-store.js";
import type { PushSettings } from "./options.js";
import { factsOf, webhookOf } from "./request-headers.js";
import { backoff } from "./retry.js";
import type { DeliveryOutcome } from "./sender.js";

/** An entry, and the outcome of the attempt to send it. */
export interface SentEntry {
  readonly entry: StoredEntry;
  readonly outcome: DeliveryOutcome;
}

/** What {@link nextCursor} needs to know. */
export interface CursorRules {
  readonly settings: PushSettings;
  readonly clock: Clock;
  /** Returns a random number, 0 ≤ n < 1. */
  readonly chance: () => number;
}

/**
 * The cursor after an attempt (§4.3.3). A delivery moves it past the event and forgets earlier failures; any other result is a failure. After
 * `attempts` failures in a row the webhook is given up (`dead`), and the cursor stays before the event. Until then the cursor stays before an
 * event to be retried, and moves past a refused one. In both cases the next attempt waits for the backoff or, if longer, for `Retry-After`.
 * Past an event that ends the task, the webhook is `done`.
 */
export function nextCursor(cursor: PushCursor, sent: SentEntry, rules: CursorRules): PushCursor {
  const { result, retryAfter = 0 } = sent.outcome;
  const { event, generation } = sent.entry;
  const { settings, clock, chance } = rules;
  const state = endsTask(event) ? "done" : "open";
  if (result === "delivered") return { delivered: generation, failures: 0, due: 0, state };
  const failures = cursor.failures + 1;
  if (failures >= settings.attempts) return { ...cursor, failures, due: 0, state: "dead" };
  const due = clock.now() + Math.max(backoff(failures, settings, chance()), retryAfter);
  // The next event waits, too: a burst of events must not use up all attempts while the receiver is being deployed.
  if (result === "refused") return { delivered: generation, failures, due, state };
  return { ...cursor, failures, due };
}

/** What {@link reportGivenUp} works with. */
export interface ReportDeps {
  readonly settings: PushSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the wait for the hook. */
  readonly signal: AbortSignal;
}

/** If the event is given up, logs this and passes the event to `onDeadLetter`. */
export async function reportGivenUp(
  record: PushRecord,
  { outcome, next, entry: { event, generation } }: SentEntry & { readonly next: PushCursor },
  { settings, clock, logger, signal }: ReportDeps,
): Promise<void> {
  const givenUp = next.state === "dead";
  if (outcome.result === "delivered" || !(givenUp || next.delivered === generation)) return;
  const { failures } = next;
  const { reason } = outcome;
  const facts = { ...factsOf(record), generation, failures };
  logger.warn({ ...facts, reason }, "A notification was given up");
  const letter = { ...webhookOf(record), event, generation, failures, givenUp, reason };
  // The next event waits for the hook, so the hook gets the time of one attempt.
  const call = () =>
    withDeadline({ milliseconds: settings.timeout, signal, clock }, async () =>
      settings.onDeadLetter?.(letter),
    );
  await callHook({ call }, (err) => {
    if (!signal.aborted) logger.error({ err, hook: "push.onDeadLetter", ...facts }, "A hook failed");
  });
}
