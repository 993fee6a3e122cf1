/** Everything through which a command touches the outside, so that it can run inside a test as well as in a process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  readonly folder: string;
  /** Home folder of the user, where the global configuration is. */
  readonly home: string;
  /** Writes a payload: what scripts read. */
  out(text: string): void;
  /** Writes a diagnostic. */
  err(text: string): void;
  /** Whether a person reads the diagnostics as they come. */
  readonly isTerminal: boolean;
  /** Reads standard input to its end. */
  readInput(): Promise<string>;
  /** Lines of standard input as they come; they end with it, or with the signal. */
  readLines(signal: AbortSignal): AsyncIterable<string>;
  /** Whether a person types the standard input. */
  readonly isTyped: boolean;
  /** Ends the command, as Ctrl+C does. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Takes the certificate of any server from now on. */
  trustAnyCertificate(): void;
}
