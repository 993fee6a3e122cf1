/** The client certificate of a TLS connection. */
export interface ClientCertificate {
  /** Whether a trusted authority issued the certificate and it was valid during the TLS handshake. Otherwise it proves nothing. */
  readonly trusted: boolean;
  /** Attributes of the subject's name: `CN`, `O`, `OU` and others; a list for repeated ones. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  /** Other names of the subject, each with its kind: `DNS:agent.example`, `URI:spiffe://example/agent`. */
  readonly alternativeNames: readonly string[];
  /** SHA-256 of the certificate: pairs of upper-case hexadecimal digits, joined by colons. */
  readonly fingerprint: string;
  /** Serial number that the authority assigned, in hexadecimal digits. */
  readonly serialNumber: string;
}

/** A request before its caller is known. Headers and query contain credentials: never log them. */
export interface IncomingRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path below that of the binding, or for the metrics the path on the server; still percent-encoded, beginning with `/`. */
  readonly path: string;
  /** Raw query without `?`; `""` when there is none. */
  readonly query: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * All values of a header, by its lower-case name; `headers` may have the first one only, or all of them joined.
   * Verifiers refuse a repeated credential: a proxy may have checked the other one.
   */
  valuesOf?(name: string): readonly string[];
  /** Undefined when the caller sent none. */
  readonly certificate?: ClientCertificate | undefined;
  /** The framework's own object for the request, such as `ctx` of Koa; undefined without a framework. */
  readonly source?: unknown;
  /**
   * IP address of the caller: the other end of the connection or, with `trustProxy`, the last address that the proxy names.
   * Undefined when unknown.
   */
  readonly address?: string | undefined;
}
