import type { ServerOptions } from "../settings.js";
import type { RequestInfo } from "./fetch-request.js";

/**
 * What an operator should know where the process may be stopped after a response: which work is lost then, with the option that keeps it.
 * @returns undefined if nothing is lost
 */
export function lostWork(
  { store, push }: Pick<ServerOptions, "store" | "push">,
  { waitUntil }: Pick<RequestInfo, "waitUntil">,
): string | undefined {
  const lost = [
    store === undefined && "tasks are in its memory and end with it, unless you give a durable store",
    waitUntil === undefined && "executors stop with it, unless you pass waitUntil with each request",
    push !== undefined && "webhooks that fail are repeated only when you call handler.tick()",
  ].filter((one) => one !== false);
  return lost.length === 0
    ? undefined
    : `This platform may stop the process after a response: ${lost.join("; ")}`;
}
