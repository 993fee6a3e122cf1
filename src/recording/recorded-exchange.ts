/** A request and its answer, as plain data that can be stored in a file. Files contain it without credentials. */
export interface RecordedExchange {
  /** HTTP method. */
  readonly method: string;
  /** Absolute URL that was requested. */
  readonly url: string;
  /** Text of the body; empty without a body. */
  readonly request: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the answer; for a stream, all that was read. */
  answer: string;
  /** Name of the operation, or another purpose such as `card`. */
  readonly purpose?: string;
  /** For a call over gRPC, whose answer is in the form of HTTP+JSON. */
  readonly over?: "GRPC";
  /** Headers of the request, as far as they were recorded: `record` records only `Content-Type`. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** When its parts happened, if the recording has times. */
  readonly times?: ExchangeTimes;
  /** Why the answer did not arrive, or not to its end. */
  readonly failure?: string;
}

/** When the parts of an exchange happened. */
export interface ExchangeTimes {
  /** Milliseconds from the start of the recording to the request. */
  readonly started: number;
  /** Milliseconds from the request to the headers of its answer. */
  readonly answered?: number;
  /** Milliseconds from the request to the end. */
  readonly ended?: number;
  /** The answer as it arrived: milliseconds from the request, and characters of the answer that had arrived by then. */
  readonly pieces?: readonly (readonly [at: number, length: number])[];
}
