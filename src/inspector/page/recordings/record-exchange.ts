import type { ExchangeTimes, RecordedExchange } from "../../../recording/recorded-exchange.js";
import { bodyText, type WireExchange } from "../wire/wire-exchange.js";

/**
 * Exchanges of the wire as a recording has them. Credentials are removed when the recording is written.
 * @param exchanges in the order in which they were begun
 */
export function recordedExchanges(exchanges: readonly WireExchange[]): readonly RecordedExchange[] {
  const start = exchanges[0]?.startedAt ?? 0;
  return exchanges.map((exchange) => recorded(exchange, start));
}

/**
 * The exchanges of a conversation, with those that have found the card: a replay opens the agent first.
 * @param ids of the exchanges of its turns
 */
export function conversationExchanges(
  all: readonly WireExchange[],
  ids: ReadonlySet<number | undefined>,
): readonly WireExchange[] {
  const cards = all.filter(({ purpose }) => purpose === "Card");
  const found = cards.findIndex(({ response }) => response?.status === 200);
  const opening = new Set(cards.slice(0, found + 1));
  const spoken = all.filter(({ id }) => ids.has(id));
  return spoken.length === 0 ? [] : all.filter((each) => opening.has(each) || spoken.includes(each));
}

function recorded(exchange: WireExchange, start: number): RecordedExchange {
  const { method, url, purpose, requestBody = "", requestHeaders, response, grpc } = exchange;
  const failure = exchange.isCut
    ? "The inspector kept only the first 8 MiB of this answer"
    : exchange.failure;
  const answer = bodyText(exchange);
  return {
    ...{ method, url, purpose, request: requestBody, answer, status: response?.status ?? 0 },
    headers: Object.fromEntries(response?.headers ?? []),
    requestHeaders: Object.fromEntries(requestHeaders),
    times: timesOf(exchange, answer, start),
    ...(grpc !== undefined && { over: "GRPC" as const }),
    ...(failure !== undefined && { failure }),
  };
}

function timesOf(exchange: WireExchange, answer: string, start: number): ExchangeTimes {
  const { startedAt, response, endedAt, frames } = exchange;
  const pieces: [at: number, length: number][] = [];
  let from = 0;
  for (const { at, raw } of frames) {
    const found = answer.indexOf(raw, from);
    if (found < 0) break;
    // With the end of the line and the blank line that end the frame.
    from = Math.min(answer.length, found + raw.length + 2);
    if (pieces.at(-1)?.[0] === at) pieces.pop();
    pieces.push([at, from]);
  }
  return {
    started: startedAt - start,
    ...(response !== undefined && { answered: response.at }),
    ...(endedAt !== undefined && { ended: endedAt }),
    ...(pieces.length > 0 && { pieces }),
  };
}
