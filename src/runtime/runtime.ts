/**
 * Functions that differ between the platforms on which the library runs. `#runtime` in package.json selects the implementation: `node.ts`
 * for Node and runtimes that behave like it, `web.ts` for browsers, Workers and all others.
 */
export interface Runtime {
  /** A new UUID of version 4. */
  randomUUID(): string;
  /** SHA-256 of bytes, or of a string as UTF-8. */
  sha256(data: string | Uint8Array): Uint8Array;
  /** HMAC of a string with SHA-256. */
  hmacSha256(key: Uint8Array, text: string): Uint8Array;
  /** Compares two byte arrays of the same length in a time that does not depend on their contents. */
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
  /** The public key of a private key, if the platform can derive it even from a key that cannot be exported; otherwise the same key. */
  publicKeyOf<Key extends object>(key: Key): Key;
  /** Number of bytes of a string in UTF-8. */
  byteLength(text: string): number;
  /** Encodes bytes, or a string as UTF-8, in base64 with the alphabet for URLs and without padding. */
  toBase64Url(data: string | Uint8Array): string;
  /** Decodes base64 in either alphabet, up to the first `=`. Skips other characters that belong to neither. */
  fromBase64(text: string): Uint8Array;
  /** 4 or 6 if the string is an IP address of that version; 0 otherwise. */
  ipVersion(text: string): 0 | 4 | 6;
  /** Makes a function that returns whether an IP address belongs to one of the networks. */
  addressSet(networks: readonly IpNetwork[]): (address: string) => boolean;
  /** Calls a function after the events that have already arrived were handled, before the event loop waits for more. */
  afterEvents(call: () => void): void;
  /**
   * As {@link Runtime.afterEvents}, but only where that is part of the same turn of the event loop, so that it costs no timer. Undefined
   * elsewhere.
   */
  readonly afterTurn: ((call: () => void) => void) | undefined;
  /** Calls a function after the running code, before the event loop goes on. Callbacks of promises may run before or after it. */
  afterTick(call: () => void): void;
  /** Allows any number of listeners on a signal without a warning. */
  allowListeners(signal: AbortSignal): void;
  /** A readable form of a value; an error with its stack and causes. */
  inspect(value: unknown): string;
  /** Writes text to stderr or its equivalent. */
  writeError(text: string): void;
  /** Files that servers serve; undefined on platforms without files. */
  readonly files: RuntimeFiles | undefined;
  /**
   * Whether timers, random values and requests are allowed outside of a request. If not, a server starts with its first request.
   */
  readonly startsAtOnce: boolean;
  /** Whether the process keeps running after its last response. Otherwise work that is unfinished then may never be finished. */
  readonly outlivesResponses: boolean;
}

/** A network: its first address, and the length of its prefix in bits. */
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
