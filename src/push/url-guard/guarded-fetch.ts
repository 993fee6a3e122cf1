import { Agent, type AgentOptions, type IncomingMessage } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { type Duplex, Readable } from "node:stream";
import { type Connection, send } from "./exchange.js";

/** Idle connections: how many are kept for one host and in all, and for how many milliseconds. */
const KEPT = { perHost: 4, total: 64, time: 4000 };

const options: AgentOptions = { keepAlive: true, maxFreeSockets: KEPT.perHost, timeout: KEPT.time };

/**
 * Makes agents that keep connections for the next request to their host. They keep a bounded number in all: Node bounds them
 * per host only, and one caller can name any number of hosts.
 */
export function keptConnections(): Readonly<Record<"http:" | "https:", Agent>> {
  return { "http:": bounded(new Agent(options)), "https:": bounded(new SecureAgent(options)) };
}

function bounded<Kind extends Agent>(agent: Kind): Kind {
  // Declared without the result that Node goes by.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const keepSocketAlive = (socket: Duplex) => idle(agent) < KEPT.total && keep(socket);
  return Object.assign(agent, { keepSocketAlive });
}

function idle({ freeSockets }: Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
}

/** Statuses whose answers have no body, and must not be given one. */
const EMPTY = [204, 205, 304];

/**
 * Sends a request in the manner of `fetch`, over a connection that is guarded. The answer is there with its headers, its body
 * streams. Redirects are answers with `redirect: "manual"`, and errors otherwise.
 *
 * @throws UrlRefused when the host must not be called, TypeError for a redirect, the reason of the request's signal, and Error on any
 * failure of the network
 */
export async function guardedFetch(connection: Connection, request: Request): Promise<Response> {
  const { method, signal } = request;
  // What is not asked for need not be unpacked.
  const headers = { "accept-encoding": "identity", ...Object.fromEntries(request.headers) };
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const sent = { method, headers, signal, ...(body && { body }) };
  try {
    return await send(connection, sent, (answer) => responseOf(answer, request));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** An answer of Node as one of the web. */
function responseOf(answer: IncomingMessage, { url, method, redirect }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  try {
    if (redirect !== "manual" && status > 300 && status < 400 && status !== 304)
      throw new TypeError("A redirect is not followed here");
    const headers = headersOf(answer);
    const coding = headers.get("content-encoding") ?? "identity";
    if (coding !== "identity")
      throw new TypeError(`The answer is packed by ${coding}, which was not asked for`);
    const isEmpty = method === "HEAD" || EMPTY.includes(status);
    if (isEmpty) answer.resume();
    const response = new Response(isEmpty ? null : streamOf(answer), { status, statusText, headers });
    return Object.defineProperty(response, "url", { value: url });
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}

/** The body as it comes. Who leaves it lets go of the connection. */
function streamOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}
