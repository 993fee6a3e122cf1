import type { Fetch } from "../../exchange.js";

/** Certificates of a connection of gRPC, as PEM. */
export interface GrpcTls {
  /** Authorities to trust, in place of the usual ones. */
  readonly ca?: string | undefined;
  /** Certificate to show to the agent, and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** How interfaces of gRPC are reached. */
export interface GrpcConnectOptions {
  /** Certificates, or false for no TLS where the card does not say. By default TLS, but not on this machine. */
  readonly tls?: GrpcTls | false | undefined;
  /**
   * Wraps the function that sends calls, to log or count them. Each call is a POST for the path of its method with the message as JSON, and is answered as over
   * HTTP+JSON.
   *
   * @example `connect(url, { grpc: { wrap: (fetch) => (input, init) => { console.log(String(input)); return fetch(input, init); } } })`
   */
  readonly wrap?: ((fetch: Fetch) => Fetch) | undefined;
}

/** What a connection of gRPC is opened with. */
export interface GrpcConnectionOptions {
  /** The usual certificates unless given. */
  readonly tls: GrpcTls | undefined;
  /** Bytes of one message. */
  readonly limit: number;
  /** Whether members and names that the messages do not have are refused; otherwise they are left out (§5.7). */
  readonly isStrict?: boolean | undefined;
}
