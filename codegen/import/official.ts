import type { Definitions, Route } from "./contract.js";

/** An operation as an official artifact has it. */
export interface OfficialOperation {
  /** Name in our tables; where the artifact has none of its own it is that of the same method of the version before. */
  readonly name: string;
  readonly description: string | undefined;
  readonly method: string;
  /** Undefined if the artifact has no routes. */
  readonly http: readonly Route[] | undefined;
  readonly request: string;
  readonly response: string | null;
  readonly streaming: boolean;
  readonly deprecated?: boolean;
}

/** An error as an official artifact has it. */
export interface OfficialError {
  /** Name of the definition, such as `TaskNotFoundError`. */
  readonly name: string;
  readonly jsonRpcCode: number;
  readonly httpStatus?: number;
  /** Name of the gRPC status. */
  readonly status?: string;
  /** Reason in `google.rpc.ErrorInfo`. */
  readonly reason?: string;
  readonly message: string | undefined;
}

/** What the form of an artifact can express. The rest is taken from the version before. */
export interface Vocabulary {
  /** Field numbers and numbers of enum values. */
  readonly numbers: boolean;
  readonly required: boolean;
  /** Groups of members of which exactly one is present. */
  readonly groups: boolean;
  readonly deprecated: boolean;
  readonly explicit: boolean;
}

/** An artifact that upstream publishes about one version, in the normal form. Its prose is used for new names only. */
export interface Official {
  /** What the file is, for the report. */
  readonly form: string;
  /** Full name of the gRPC service; undefined where the artifact has none. */
  readonly service?: string;
  readonly definitions: Definitions;
  /** Undefined where the artifact has no operations. */
  readonly operations: readonly OfficialOperation[] | undefined;
  /** Undefined where the artifact has no errors. */
  readonly errors: readonly OfficialError[] | undefined;
  readonly says: Vocabulary;
  /** What was repaired or left out while reading. */
  readonly notes: readonly string[];
  /** Why the file may not be the one that was meant; each needs `--force`. */
  readonly doubts?: readonly string[];
}

/** An artifact cannot be imported. Each line of the message is a reason. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}
