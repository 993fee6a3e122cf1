/** A request and its answer, as plain data that can be stored in a file. Credentials are left out. */
export interface RecordedExchange {
  readonly method: string;
  readonly url: string;
  /** Text of the body; empty without a body. */
  readonly request: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the answer; for a stream, all that was read. */
  answer: string;
  /** What it was for: an operation, or words such as `card`. */
  readonly purpose?: string;
  /** For a call over gRPC, whose answer is in the form of HTTP+JSON. */
  readonly over?: "GRPC";
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly times?: ExchangeTimes;
  /** Why the answer did not come, or did not come to its end. */
  readonly failure?: string;
}

/** When things happened. */
export interface ExchangeTimes {
  /** Milliseconds from the start of the recording to the request. */
  readonly started: number;
  /** Milliseconds from the request to the headers of its answer. */
  readonly answered?: number;
  /** Milliseconds from the request to the end. */
  readonly ended?: number;
  /** The answer as it arrived: milliseconds from the request, and characters of the answer that had come by then. */
  readonly pieces?: readonly (readonly [at: number, length: number])[];
}
