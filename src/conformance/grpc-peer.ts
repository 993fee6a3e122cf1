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

/** Size of the largest message that is read, in bytes. */
export const MAX_MESSAGE = 64 * 1024 * 1024;

/** Members that an answer always has in JSON. A protobuf message leaves them out when they are empty. */
const empty: { readonly [Name in OperationName]?: object } = {
  ListTasks: { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0 },
  ListTaskPushNotificationConfigs: { configs: [], nextPageToken: "" },
};

/** An agent over gRPC. Calls and answers have the form of HTTP+JSON. A check whose request a message cannot express is inconclusive. */
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
  static async open(options: PeerOptions, { tls, wrap }: GrpcConnectOptions = {}): Promise<GrpcPeer> {
    const codec = await loadCallCodec(options.version);
    const { grpc: service } = (await codec.forBinding?.("GRPC")) ?? codec;
    if (service === undefined)
      throw new Inconclusive(`protocol version ${options.version} has no gRPC service`);
    const connection = { tls: tls === false ? undefined : tls, limit: MAX_MESSAGE, isStrict: true };
    const send = await openGrpc(service, connection);
    return new GrpcPeer(options, service, wrap === undefined ? send : wrap(send));
  }

  async call(name: OperationName, params: object = {}, more: PeerCallOptions = {}): Promise<PeerAnswer> {
    const received = await expressible(this.#options.wire.send(this.#request(name, params, more)));
    return { ...httpAnswerOf(withEmptyMembers(name, received)), binding: "GRPC" };
  }

  async open(
    name: OperationName,
    params: object,
    more: PeerCallOptions = {},
  ): Promise<PeerAnswer | EventSource> {
    const answer = await expressible(this.#options.wire.open(this.#request(name, params, more)));
    if (!("data" in answer)) return { ...httpAnswerOf(answer), binding: "GRPC" };
    return { ...answer, id: undefined, events: httpEventsOf(answer) };
  }

  raw(): Promise<never> {
    return Promise.reject(
      new Inconclusive("gRPC requests are messages: they have no method, path or body text"),
    );
  }

  #request(name: OperationName, params: object, { headers = {}, as, query = {} }: PeerCallOptions) {
    if (Object.keys(query).length > 0) throw new Inconclusive("gRPC requests have no query");
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

/** The answer to a call. @throws Inconclusive if its request has no form as a message */
async function expressible<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const { cause } = error instanceof Unanswered ? error : {};
    if (!(cause instanceof ClientError) || cause.code !== "INVALID_REQUEST") throw error;
    throw new Inconclusive("a gRPC message cannot express this request");
  }
}

/** The place of the milliseconds in a time without a fraction. */
const WHOLE_SECOND = /(?<=^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?=Z$)/;

/** A successful answer with the members and milliseconds that messages leave out when they are empty or zero. */
function withEmptyMembers(name: OperationName, received: Received): Received {
  const value = parsed(received.body);
  if (received.status !== 200 || at(value, "error") !== undefined) return received;
  const times = (_: string, member: Unchecked) =>
    typeof member === "string" ? member.replace(WHOLE_SECOND, ".000") : member;
  return { ...received, body: JSON.stringify({ ...empty[name], ...Object(value) }, times) };
}
