import { openGrpc } from "#grpc";
import { ClientError } from "../client/client-error.js";
import type { GrpcConnectOptions } from "../client/transports/grpc/grpc-options.js";
import type { OperationName } from "../protocol/operations.js";
import { loadCallCodec } from "../versions/client-codecs.js";
import type { GrpcService } from "../versions/grpc-service.js";
import { httpAnswerOf, httpEventsOf } from "./http-json-peer.js";
import { at, parsed, type Unchecked } from "./json.js";
import type { PeerOptions } from "./json-rpc-peer.js";
import { type EventSource, headersOf, type Peer, type PeerAnswer, type PeerCallOptions } from "./peer.js";
import { Inconclusive, Unanswered } from "./verdict.js";
import type { Received } from "./wire.js";

/** Bytes of the largest message that is read. */
const LIMIT = 64 * 1024 * 1024;

/** Members that an answer has to have over JSON. A message does not contain them when they are empty. */
const empty: { readonly [Name in OperationName]?: object } = {
  ListTasks: { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0 },
  ListTaskPushNotificationConfigs: { configs: [], nextPageToken: "" },
};

/** An agent over gRPC. Calls and answers have the form of HTTP+JSON; what a message cannot say is not checked. */
export class GrpcPeer implements Peer {
  readonly binding = "GRPC";
  readonly url: string;
  readonly version: string;
  readonly #options: PeerOptions;
  readonly #service: GrpcService;
  readonly #fetch: typeof fetch;

  private constructor(options: PeerOptions, service: GrpcService, send: typeof fetch) {
    this.#options = options;
    this.#service = service;
    this.#fetch = send;
    this.url = options.url;
    this.version = options.version;
  }

  /** @throws Error without the packages for gRPC; Inconclusive for a version that has no service */
  static async open(options: PeerOptions, { tls }: GrpcConnectOptions = {}): Promise<GrpcPeer> {
    const codec = await loadCallCodec(options.version);
    const { grpc: service } = (await codec.forBinding?.("GRPC")) ?? codec;
    if (service === undefined)
      throw new Inconclusive(`protocol version ${options.version} is not called over gRPC`);
    const connection = { tls: tls === false ? undefined : tls, limit: LIMIT, isStrict: true };
    return new GrpcPeer(options, service, await openGrpc(service, connection));
  }

  async call(name: OperationName, params: object = {}, more: PeerCallOptions = {}): Promise<PeerAnswer> {
    const received = await sendable(this.#options.wire.send(this.#request(name, params, more)));
    return { ...httpAnswerOf(written(name, received)), binding: "GRPC" };
  }

  async open(
    name: OperationName,
    params: object,
    more: PeerCallOptions = {},
  ): Promise<PeerAnswer | EventSource> {
    const answer = await sendable(this.#options.wire.open(this.#request(name, params, more)));
    if (!("data" in answer)) return { ...httpAnswerOf(answer), binding: "GRPC" };
    return { ...answer, id: undefined, events: httpEventsOf(answer) };
  }

  raw(): Promise<never> {
    return Promise.reject(new Inconclusive("gRPC has messages, and no texts of its own"));
  }

  #request(name: OperationName, params: object, { headers = {}, as, query = {} }: PeerCallOptions) {
    if (Object.keys(query).length > 0) throw new Inconclusive("gRPC has no query");
    const [method] = [...this.#service.methods].find(([, operation]) => operation.name === name) ?? [];
    const { tenant, extensions } = this.#options;
    const usual = {
      "a2a-version": this.version,
      ...(extensions.length > 0 && { "a2a-extensions": extensions.join(", ") }),
    };
    return {
      method: "POST",
      url: new URL(`/${this.#service.service}/${method}`, this.url).href,
      headers: headersOf(usual, headers),
      body: JSON.stringify(tenant === "" ? params : { tenant, ...params }),
      fetch: this.#fetch,
      ...(as && { as }),
    };
  }
}

/** The answer to a call, if its request has a form as a message. @throws Inconclusive otherwise */
async function sendable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const { cause } = error instanceof Unanswered ? error : {};
    if (!(cause instanceof ClientError) || cause.code !== "INVALID_REQUEST") throw error;
    throw new Inconclusive("a message of gRPC cannot say this");
  }
}

/** Milliseconds that are left out of a time when there are none. */
const WHOLE_SECOND = /(?<=^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?=Z$)/;

/** A successful answer with the members that messages leave out. */
function written(name: OperationName, received: Received): Received {
  const value = parsed(received.body);
  if (received.status !== 200 || at(value, "error") !== undefined) return received;
  const times = (_: string, member: Unchecked) =>
    typeof member === "string" ? member.replace(WHOLE_SECOND, ".000") : member;
  return { ...received, body: JSON.stringify({ ...empty[name], ...Object(value) }, times) };
}
