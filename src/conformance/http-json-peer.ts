import { type OperationName, operation } from "../protocol/operations.js";
import { at, parsed } from "./json.js";
import type { PeerOptions } from "./json-rpc-peer.js";
import {
  type EventSource,
  headersOf,
  type Peer,
  type PeerAnswer,
  type PeerCallOptions,
  type RawCall,
  readError,
  type StreamedEvent,
  urlWith,
} from "./peer.js";
import type { Received, Wire, WireStream } from "./wire.js";

/** An agent over HTTP+JSON. */
export class HttpJsonPeer implements Peer {
  readonly binding = "HTTP+JSON";
  readonly url: string;
  readonly version: string;
  readonly #options: PeerOptions;
  readonly #wire: Wire;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#wire = options.wire;
    this.url = options.url.replace(/\/+$/, "");
    this.version = options.version;
  }

  async call(name: OperationName, params: object = {}, more: PeerCallOptions = {}): Promise<PeerAnswer> {
    return httpAnswerOf(await this.#wire.send(this.#request(name, params, more)));
  }

  async open(
    name: OperationName,
    params: object,
    more: PeerCallOptions = {},
  ): Promise<PeerAnswer | EventSource> {
    const answer = await this.#wire.open(this.#request(name, params, more));
    if (!("data" in answer)) return httpAnswerOf(answer);
    return { ...answer, id: undefined, events: httpEventsOf(answer) };
  }

  async raw({ method = "POST", path = "", headers = {}, body }: RawCall): Promise<PeerAnswer> {
    const call = { method, url: this.url + path, headers: headersOf(this.#headers(), headers) };
    return httpAnswerOf(await this.#wire.send({ ...call, ...(body !== undefined && { body }) }));
  }

  #headers(): Record<string, string> {
    const { extensions } = this.#options;
    return {
      "content-type": "application/a2a+json",
      "a2a-version": this.version,
      ...(extensions.length > 0 && { "a2a-extensions": extensions.join(", ") }),
    };
  }

  #request(name: OperationName, params: object, { headers = {}, as, query = {} }: PeerCallOptions) {
    const { tenant } = this.#options;
    const [route] = operation(name).http;
    if (route === undefined) throw new TypeError(`Operation ${name} has no HTTP route`);
    const rest = new Map(Object.entries(params));
    const path = route.path.replace(/\{(\w+)\}/g, (_, member: string) => {
      const value = String(rest.get(member) ?? "");
      rest.delete(member);
      return encodeURIComponent(value);
    });
    const hasBody = route.verb === "POST";
    const members = hasBody
      ? {}
      : Object.fromEntries([...rest].map(([key, value]) => [key, queryValue(value)]));
    const tenantPath = tenant === "" ? "" : `/${encodeURIComponent(tenant)}`;
    return {
      method: route.verb,
      url: urlWith(this.url + tenantPath + path, { ...members, ...query }),
      headers: headersOf(this.#headers(), headers),
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      ...(as && { as }),
    };
  }
}

function queryValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads an HTTP+JSON response. */
export function httpAnswerOf(received: Received): PeerAnswer {
  const value = parsed(received.body);
  const error = at(value, "error");
  const isSuccess = received.status >= 200 && received.status < 300;
  return {
    ...received,
    binding: "HTTP+JSON",
    value,
    ...(isSuccess && { result: value ?? null }),
    ...(!isSuccess && error !== undefined && { error: readError(error) }),
  };
}

/** Reads a stream of HTTP+JSON events. */
export async function* httpEventsOf({ data }: WireStream): AsyncGenerator<StreamedEvent> {
  for await (const text of data) {
    const envelope = parsed(text);
    const error = at(envelope, "error");
    yield { envelope, value: envelope, ...(error !== undefined && { error: readError(error) }) };
  }
}
