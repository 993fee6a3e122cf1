import { onTestFinished, vi } from "vitest";

/** What of the runtime's time a test can take into its own hands. */
type Faked = "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval" | "Date";

/** Replaces timers of this process until the test ends; `vi.advanceTimersByTime` moves them. */
export function fakeTimers(toFake: Faked[]): void {
  vi.useFakeTimers({ toFake });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
