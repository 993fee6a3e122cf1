import type { RecordedExchange } from "../../src/recording/recorded-exchange.js";

/** The agent of the recordings. */
export const agent = { url: "http://localhost:4000" };

/** An exchange with the agent. */
export function exchange(more: Partial<RecordedExchange> = {}): RecordedExchange {
  const headers = { "content-type": "application/json" };
  return { method: "POST", url: agent.url, request: "{}", status: 200, headers, answer: "{}", ...more };
}
