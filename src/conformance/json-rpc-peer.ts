import { type OperationName, operation } from "../protocol/operations.js";
import { at, parsed } from "./json.js";
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

/** Settings of all calls to one interface. */
export interface PeerOptions {
  readonly wire: Wire;
  readonly url: string;
  readonly version: string;
  readonly tenant: string;
  /** URIs of the extensions that the agent requires. */
  readonly extensions: readonly string[];
}

/** An agent over JSON-RPC. */
export class JsonRpcPeer implements Peer {
  readonly binding = "JSONRPC";
  readonly url: string;
  readonly version: string;
  readonly #options: PeerOptions;
  #id = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.url = options.url;
    this.version = options.version;
  }

  async call(name: OperationName, params?: object, more: PeerCallOptions = {}): Promise<PeerAnswer> {
    const { wire } = this.#options;
    return answerOf(await wire.send(this.#request(name, params, more)));
  }

  async open(
    name: OperationName,
    params: object,
    more: PeerCallOptions = {},
  ): Promise<PeerAnswer | EventSource> {
    const answer = await this.#options.wire.open(this.#request(name, params, more));
    if (!("data" in answer)) return answerOf(answer);
    return { ...answer, id: this.#id, events: eventsOf(answer) };
  }

  async raw({ method = "POST", path = "", headers = {}, body }: RawCall): Promise<PeerAnswer> {
    const call = { method, url: this.url + path, headers: headersOf(this.#headers(), headers) };
    return answerOf(await this.#options.wire.send({ ...call, ...(body !== undefined && { body }) }));
  }

  #headers(): Record<string, string> {
    const { extensions } = this.#options;
    return {
      "content-type": "application/json",
      "a2a-version": this.version,
      ...(extensions.length > 0 && { "a2a-extensions": extensions.join(", ") }),
    };
  }

  #request(name: OperationName, params: object | undefined, { headers = {}, as, query }: PeerCallOptions) {
    this.#id += 1;
    const { tenant } = this.#options;
    const sent = tenant === "" ? params : { tenant, ...params };
    const { method } = operation(name);
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, ...(sent && { params: sent }) });
    return {
      method: "POST",
      url: urlWith(this.url, query),
      headers: headersOf(this.#headers(), headers),
      body,
      ...(as && { as }),
    };
  }
}

/** Reads a JSON-RPC response. */
export function answerOf(received: Received): PeerAnswer {
  const value = parsed(received.body);
  const [result, error] = [at(value, "result"), at(value, "error")];
  return {
    ...received,
    binding: "JSONRPC",
    value,
    ...(result !== undefined && { result }),
    ...(error !== undefined && error !== null && { error: readError(error) }),
  };
}

/** Reads a stream of JSON-RPC responses. */
export async function* eventsOf({ data }: WireStream): AsyncGenerator<StreamedEvent> {
  for await (const text of data) {
    const envelope = parsed(text);
    const error = at(envelope, "error");
    yield {
      envelope,
      value: at(envelope, "result"),
      ...(error !== undefined && error !== null && { error: readError(error) }),
    };
  }
}
