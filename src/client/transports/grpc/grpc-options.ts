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
}

/** What a connection of gRPC is opened with. */
export interface GrpcConnectionOptions {
  /** The usual certificates unless given. */
  readonly tls: GrpcTls | undefined;
  /** Bytes of one message. */
  readonly limit: number;
}
