import type { Mock } from "node:test";

/** How many timers were set by others than the client, which is in this process too and has timers for its connections. */
export function timersOfServer(set: Mock<typeof setTimeout> | Mock<typeof setInterval>): number {
  return set.mock.calls.filter(({ stack }) => !stack.stack?.includes("undici")).length;
}
