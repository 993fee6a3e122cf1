import { LONGEST_TIMEOUT } from "../timeout.js";

/**
 * Runs something after a delay of any length.
 * @param seconds `Infinity` never comes
 * @returns stops the timer
 */
export function startTimer(seconds: number, run: () => void): () => void {
  if (seconds === Number.POSITIVE_INFINITY) return () => undefined;
  let timer: ReturnType<typeof setTimeout>;
  let left = seconds * 1000;
  const wait = (): void => {
    const step = Math.min(left, LONGEST_TIMEOUT);
    left -= step;
    timer = setTimeout(left > 0 ? wait : run, step);
  };
  wait();
  return () => clearTimeout(timer);
}
