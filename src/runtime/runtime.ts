/**
 * What the platforms that run the library do differently. `#runtime` in package.json names the implementation of each: Node, and
 * runtimes that behave like it, get `node.ts`; browsers, Workers and everything else get `web.ts`.
 */
export interface Runtime {
  /** A new UUID of version 4. */
  randomUUID(): string;
  /** SHA-256 of some bytes, or of a text as UTF-8. */
  sha256(data: string | Uint8Array): Uint8Array;
  /** HMAC with SHA-256 of a text. */
  hmacSha256(key: Uint8Array, text: string): Uint8Array;
  /** Compares two lists of bytes of the same length, in a time that does not depend on where they differ. */
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
  /** The public key of a private one, where the platform can tell it from a key that must not be read; else the key itself. */
  publicKeyOf<Key extends object>(key: Key): Key;
  /** Number of bytes of a text in UTF-8. */
  byteLength(text: string): number;
  /** Some bytes, or a text as UTF-8, in base64 with the alphabet for URLs, without padding. */
  toBase64Url(data: string | Uint8Array): string;
  /** Bytes of base64 in either alphabet. Characters that belong to neither are skipped. */
  fromBase64(text: string): Uint8Array;
  /** 4 or 6 for the text of an IP address of that version; 0 for any other text. */
  ipVersion(text: string): 0 | 4 | 6;
  /** Makes a function that tells whether one of some networks has an IP address. */
  addressSet(networks: readonly IpNetwork[]): (address: string) => boolean;
  /** Calls a function after the events that have arrived, before the event loop waits for more. */
  afterEvents(call: () => void): void;
  /** Calls a function after the running code and the promises that it has settled. */
  afterTick(call: () => void): void;
  /** Lets any number of listeners wait for a signal without a warning. */
  allowListeners(signal: AbortSignal): void;
  /** A value as a developer reads it, an error with its stack and causes. */
  inspect(value: unknown): string;
  /** Writes text where operators read errors. */
  writeError(text: string): void;
  /** Files that servers hand out; undefined where there are none. */
  readonly files: RuntimeFiles | undefined;
  /**
   * Whether timers, random values and requests are possible outside of a request. Where they are not, a server begins with
   * its first request.
   */
  readonly startsAtOnce: boolean;
}

/** A network: its first address and the bits that its addresses share. */
export type IpNetwork = readonly [address: string, bits: number];

/** Files of this package and of others. */
export interface RuntimeFiles {
  /** The OpenAPI document of a protocol version. */
  openApi(version: string): OpenApiTemplate;
  /**
   * Finds a package.
   * @returns a reader of its files
   * @throws Error when it is not installed
   */
  packageFiles(name: string): (file: string) => Uint8Array;
}

/** An OpenAPI document before it names an agent. */
export interface OpenApiTemplate {
  readonly info: object;
}
