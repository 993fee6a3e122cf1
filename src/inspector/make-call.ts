import { readableError } from "../async/hook.js";
import { UrlRefused } from "../push/url-guard/check-url.js";
import { AnswerTooLarge, type PageCall } from "./call.js";
import type { FailedEvent } from "./events.js";
import { httpExchange } from "./http-call.js";

/** Makes a call and tells the page what comes of it, byte by byte. Never rejects. */
export async function makeCall(call: PageCall): Promise<void> {
  const { head, page, signal } = call;
  const started = performance.now();
  const clock = () => performance.now() - started;
  let isAnswered = false;
  try {
    const exchange = head.over === "GRPC" ? await loadGrpc() : httpExchange;
    await exchange(call, clock, () => {
      isAnswered = true;
    });
  } catch (thrown) {
    const [code, message] = callFailure(thrown, { isAnswered, signal });
    page.send({ type: "failed", id: head.id, time: clock(), code, message });
  }
}

/** Gives the exchange of gRPC, whose packages are loaded when they are first needed. */
async function loadGrpc(): Promise<typeof httpExchange> {
  return (await import("./grpc-call.js")).grpcExchange;
}

/** Says why a call failed, for a person. */
function callFailure(
  thrown: unknown,
  { isAnswered, signal }: { readonly isAnswered: boolean; readonly signal: AbortSignal },
): [code: FailedEvent["code"], message: string] {
  if (signal.aborted) return ["ABORTED", "The call was ended here"];
  const error = causeOf(readableError(thrown));
  if (error instanceof UrlRefused) return ["REFUSED_URL", `The URL ${error.message}`];
  if (error instanceof AnswerTooLarge) return ["TOO_LARGE", error.message];
  return [isAnswered ? "INTERRUPTED" : "UNREACHABLE", wordsOf(error)];
}

/** The first error of a chain, which says what has happened. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error ? causeOf(error.cause) : error;
}

/** Codes of Node for a certificate whose authority is not trusted. */
const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** What an error says. Node gives no text to the one of a name with several addresses. */
function wordsOf(error: Error): string {
  if ("code" in error && untrusted.test(String(error.code)))
    return `${error.message}. Its certificate is from an authority that is not trusted here: name the authority's file with parley inspect --ca`;
  if (error.message !== "") return error.message;
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message ?? error.name;
}
