import type { CheckResult, ConformanceReport } from "../conformance/report.js";
import type { Delivery, HeaderField } from "./api.js";

/** Everything that happens, except pieces of bodies, which are frames of their own. Times are milliseconds since the call was sent. */
export type InspectorEvent =
  | OpenedEvent
  | SentEvent
  | AnsweredEvent
  | StatusEvent
  | EndedEvent
  | FailedEvent
  | RedirectedEvent
  | DeliveredEvent
  | CheckedEvent
  | ReportedEvent
  | RunFailedEvent;

/** The first event. */
export interface OpenedEvent {
  readonly type: "opened";
  /** Value of the header `Inspector-Page`. */
  readonly page: string;
}

/** A request as it has left. It may come after its answer has begun. */
export interface SentEvent {
  readonly type: "sent";
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderField[];
  /** Bytes of the body. */
  readonly bytes: number;
}

/** The headers of an answer. Redirects are answers: they are not followed. */
export interface AnsweredEvent {
  readonly type: "answered";
  readonly id: number;
  readonly time: number;
  readonly status: number;
  readonly statusText: string;
  /** `1.1` or `2`. */
  readonly httpVersion: string;
  readonly headers: readonly HeaderField[];
  /** IP address and port that were reached. */
  readonly address?: string;
  /** Milliseconds in which the name was found; absent without a lookup. */
  readonly lookup?: number;
}

/** What a server of gRPC has said around its messages. It comes before `ended`. */
export interface StatusEvent {
  readonly type: "status";
  readonly id: number;
  readonly time: number;
  readonly code: number;
  /** Such as `NOT_FOUND`; `OK` for 0. */
  readonly name: string;
  readonly message: string;
  /** Initial metadata. */
  readonly metadata: readonly HeaderField[];
  /** Trailing metadata. Binary values are in base64. */
  readonly trailers: readonly HeaderField[];
  /** Details as ProtoJSON, each with its `@type`. */
  readonly details: readonly object[];
}

/** The answer is complete. */
export interface EndedEvent {
  readonly type: "ended";
  readonly id: number;
  readonly time: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

/** The call has failed, before its answer or in the middle of it. */
export interface FailedEvent {
  readonly type: "failed";
  readonly id: number;
  readonly time: number;
  /**
   * - `REFUSED_URL`: the URL is not http(s), or leads to a private address that may not be called
   * - `UNREACHABLE`: no answer: no such name, no connection, TLS
   * - `INTERRUPTED`: the connection broke in the middle of the answer
   * - `TOO_LARGE`: the answer is longer than `maxBytes`
   * - `ABORTED`: the page has ended it
   */
  readonly code: "REFUSED_URL" | "UNREACHABLE" | "INTERRUPTED" | "TOO_LARGE" | "ABORTED";
  /** For people. */
  readonly message: string;
}

/** A browser came back from an issuer. */
export interface RedirectedEvent {
  readonly type: "redirected";
  readonly state: string;
  /** The whole URL, with code or error. */
  readonly url: string;
}

/** A webhook was called. Every page gets it. */
export interface DeliveredEvent {
  readonly type: "delivered";
  readonly delivery: Delivery;
}

/** A check is done. */
export interface CheckedEvent {
  readonly type: "checked";
  readonly id: number;
  readonly result: CheckResult;
  readonly done: number;
  readonly all: number;
}

/** All checks are done. */
export interface ReportedEvent {
  readonly type: "reported";
  readonly id: number;
  /** The report without `checks`, which have come one by one in the same order. */
  readonly report: Omit<ConformanceReport, "checks">;
}

/** The checks could not be made. */
export interface RunFailedEvent {
  readonly type: "runFailed";
  readonly id: number;
  readonly message: string;
}
