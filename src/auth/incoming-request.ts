/** A certificate that the caller showed when its TLS connection was made. */
export interface ClientCertificate {
  /** Whether an authority that the server trusts has issued it and it was valid then. Otherwise it proves nothing. */
  readonly trusted: boolean;
  /** Attributes of the subject's name: `CN`, `O`, `OU` and others; a list where one has several values. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  /** Other names of the subject, each with its kind: `DNS:agent.example`, `URI:spiffe://example/agent`. */
  readonly alternativeNames: readonly string[];
  /** SHA-256 of the certificate: pairs of upper-case hexadecimal digits, joined by colons. */
  readonly fingerprint: string;
  readonly serialNumber: string;
}

/** A request before anyone knows who sent it. Its headers and query hold credentials: it belongs in no log. */
export interface IncomingRequest {
  readonly method: string;
  /** Path below the binding's mount, percent-encoding untouched, beginning with `/`. */
  readonly path: string;
  /** Raw query without `?`; `""` when there is none. */
  readonly query: string;
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Every value of a header, where `headers` keeps the first one only: who sends two of a kind wants to be two people. */
  valuesOf?(name: string): readonly string[];
  /** Undefined when the caller has shown none. */
  readonly certificate?: ClientCertificate | undefined;
  /** IP address of the caller, or of the last proxy on the way that is not trusted. */
  readonly address?: string | undefined;
}
