import { vi } from "vitest";

/**
 * Counts the timers that the server sets until the test ends. The client shares the process and sets timers for its
 * connections: those are left out.
 * @returns how many have been set so far
 */
export function timersOfServer(name: "setTimeout" | "setInterval"): () => number {
  const set = globalThis[name] as (...given: unknown[]) => unknown;
  let count = 0;
  const counted = (...given: unknown[]): unknown => {
    if (!new Error().stack?.includes("undici")) count += 1;
    return set(...given);
  };
  vi.spyOn(globalThis, name).mockImplementation(counted as never);
  return () => count;
}
