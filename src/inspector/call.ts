import type { ClientRequest, IncomingMessage } from "node:http";
import { readableError } from "../async/hook.js";
import { UrlRefused } from "../push/url-guard/check-url.js";
import { sendRequest } from "../push/url-guard/exchange.js";
import type { AgentGuard } from "./agent-guard.js";
import type { FetchHead, HeaderField } from "./api.js";
import type { FailedEvent } from "./events.js";
import type { OpenPage } from "./open-page.js";

/** A call that a page has asked for. */
export interface PageCall {
  readonly head: FetchHead;
  readonly body: Uint8Array;
  /** Largest answer in bytes. */
  readonly maxBytes: number;
  /** Aborts when the page ends the call, or is closed. */
  readonly signal: AbortSignal;
  readonly page: OpenPage;
  readonly guard: AgentGuard;
}

/** Makes a call and tells the page what comes of it, byte by byte. Never rejects. */
export async function makeCall(call: PageCall): Promise<void> {
  const { head, page, signal } = call;
  const started = performance.now();
  const clock = () => performance.now() - started;
  let isAnswered = false;
  try {
    await exchange(call, clock, () => {
      isAnswered = true;
    });
  } catch (thrown) {
    const [code, message] = callFailure(thrown, { isAnswered, signal });
    page.send({ type: "failed", id: head.id, time: clock(), code, message });
  }
}

/** An answer is longer than the page takes. */
class AnswerTooLarge extends Error {}

async function exchange(call: PageCall, clock: () => number, answered: () => void): Promise<void> {
  const { head, body, maxBytes, signal, page, guard } = call;
  const { id, method, url } = head;
  const connection = guard.connectionTo(head);
  let lookupTime: number | undefined;
  const lookup: typeof connection.lookup = (hostname, options, done) => {
    const began = clock();
    connection.lookup(hostname, options, (...found) => {
      lookupTime = clock() - began;
      done(...found);
    });
  };
  const at = new Date().toISOString();
  const onSent = (request: ClientRequest) =>
    page.send({ type: "sent", id, at, method, url, headers: sentFields(request), bytes: body.length });
  const sent = { method, headers: headersOf(head), signal, onSent, ...(body.length > 0 && { body }) };
  await sendRequest({ ...connection, lookup }, sent, async (response) => {
    answered();
    const { statusCode: status = 0, statusMessage: statusText = "", httpVersion, socket } = response;
    const { remoteAddress, remotePort } = socket;
    page.send({
      ...{ type: "answered", id, time: clock(), status, statusText, httpVersion },
      headers: fieldsOf(response.rawHeaders),
      ...(remoteAddress !== undefined && { address: `${remoteAddress} ${remotePort}` }),
      ...(lookupTime !== undefined && { lookup: lookupTime }),
    });
    const bytes = await passOn(response, { id, maxBytes, signal, page, clock });
    page.send({ type: "ended", id, time: clock(), bytes });
  });
}

interface Passing extends Pick<PageCall, "maxBytes" | "signal" | "page"> {
  readonly id: number;
  readonly clock: () => number;
}

/**
 * Passes the body of an answer on, as fast as the page takes it.
 * @returns its length in bytes
 */
async function passOn(response: IncomingMessage, { id, maxBytes, page, clock }: Passing): Promise<number> {
  let size = 0;
  // Leaving the loop destroys the response.
  for await (const bytes of response as AsyncIterable<Uint8Array>) {
    size += bytes.length;
    if (size > maxBytes) throw new AnswerTooLarge(`The answer is longer than ${maxBytes} bytes`);
    await page.sendPiece({ id, time: clock(), bytes });
  }
  return size;
}

/** Headers of the request. Compressed answers would hide what came over the line. */
function headersOf({ headers }: FetchHead): Record<string, string> {
  const all = new Headers([["accept-encoding", "identity"]]);
  for (const [name, value] of headers)
    if (name.toLowerCase() === "accept-encoding") all.set(name, value);
    else all.append(name, value);
  return Object.fromEntries(all);
}

/** The header of a request as it has left. Node has its text, with the fields that it adds itself. */
function sentFields(request: ClientRequest): HeaderField[] {
  const { _header: text = "" } = request as { readonly _header?: string };
  const [, ...lines] = text.trimEnd().split("\r\n");
  return lines.map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trimStart()];
  });
}

function fieldsOf(raw: readonly string[]): HeaderField[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
}

/** Says why a call failed, for a person. */
export function callFailure(
  thrown: unknown,
  { isAnswered, signal }: { readonly isAnswered: boolean; readonly signal: AbortSignal },
): [code: FailedEvent["code"], message: string] {
  if (signal.aborted) return ["ABORTED", "The call was ended here"];
  const error = readableError(thrown);
  if (error instanceof UrlRefused) return ["REFUSED_URL", `The URL ${error.message}`];
  if (error instanceof AnswerTooLarge) return ["TOO_LARGE", error.message];
  return [isAnswered ? "INTERRUPTED" : "UNREACHABLE", wordsOf(error)];
}

/** What an error says. Node gives no text to the one of a name with several addresses. */
function wordsOf(error: Error): string {
  if (error.message !== "") return error.message;
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message ?? error.name;
}
