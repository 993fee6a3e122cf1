import type { GrpcService } from "../../../versions/grpc-service.js";
import type { Fetch } from "../../exchange.js";

/** Certificates and keys for gRPC connections, as PEM. */
export interface GrpcTls {
  /** Authorities to trust instead of those that the platform trusts. */
  readonly ca?: string | undefined;
  /** The client's certificate. */
  readonly cert?: string | undefined;
  /** The private key of the client's certificate. */
  readonly key?: string | undefined;
}

/** Creates the function that calls a service over gRPC-Web: `grpcWeb` of `a2a-parley/grpc-web`. */
export type GrpcWeb = (service: GrpcService, options: GrpcWebOptions) => Promise<Fetch>;

/** How the client connects to gRPC interfaces. */
export interface GrpcConnectOptions {
  /**
   * Certificates and keys; false for no TLS. If an address in the card begins with `https:`, `http:` or `grpcs:`, its scheme decides
   * instead. Other addresses mean TLS by default; those on this machine only with `ca` or `cert`, or at the port that served the card over
   * HTTPS. Has no effect on gRPC-Web.
   */
  readonly tls?: GrpcTls | false | undefined;
  /**
   * Calls interfaces of gRPC-Web, which browsers can reach: `grpcWeb` of `a2a-parley/grpc-web`. Without it they are skipped.
   *
   * @example `connect(url, { bindings: ["GRPC"], grpc: { web: grpcWeb } })`
   */
  readonly web?: GrpcWeb | undefined;
  /**
   * Wraps the function that sends calls, to log or count them. That function gets each call as a POST to the path of the method with the
   * message as JSON, and returns a response as over HTTP+JSON.
   *
   * @example `connect(url, { grpc: { wrap: (fetch) => (input, init) => { console.log(String(input)); return fetch(input, init); } } })`
   */
  readonly wrap?: ((fetch: Fetch) => Fetch) | undefined;
}

/** Parameters of a gRPC connection. */
export interface GrpcConnectionOptions {
  /** Undefined to trust the authorities that the platform trusts, without a certificate of the client. */
  readonly tls: GrpcTls | undefined;
  /** Maximum bytes of one received message. */
  readonly limit: number;
  /** Whether a request with unknown members or enum names is refused; by default these are left out (§5.7). */
  readonly isStrict?: boolean | undefined;
}

/** Options of {@link GrpcWeb}. */
export interface GrpcWebOptions extends Pick<GrpcConnectionOptions, "limit"> {
  /** Sends HTTP requests. */
  readonly fetch: Fetch;
}

/** Largest value of the options `readMaxBytes` and `writeMaxBytes` of Connect. */
const LARGEST = 0xffffffff;

/** A maximum number of bytes within the range that Connect accepts, which begins at 1. */
export function connectByteLimit(limit: number): number {
  return Math.min(Math.max(limit, 1), LARGEST);
}
