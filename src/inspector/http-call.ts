import type { ClientRequest } from "node:http";
import { sendRequest } from "../push/url-guard/exchange.js";
import type { FetchHead, HeaderField } from "./api.js";
import { type Elapsed, type PageCall, passOn } from "./call.js";

/** Makes a call over HTTP and tells the page what comes of it, byte by byte. */
export async function httpExchange(call: PageCall, clock: Elapsed, answered: () => void): Promise<void> {
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
    const bytes = await passOn(response, { id, maxBytes, page, clock });
    page.send({ type: "ended", id, time: clock(), bytes });
  });
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
