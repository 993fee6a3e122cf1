import type { HeaderField } from "../../api.js";
import type { StatusEvent } from "../../events.js";
import type { WireFrame } from "./wire-frame.js";

/** The response to a recorded request, from the moment its headers arrived. */
export interface WireResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderField[];
  /** Milliseconds from the request to these headers. */
  readonly at: number;
  /** `1.1` or `2`; undefined where only the browser knows it. */
  readonly httpVersion?: string | undefined;
  /** IP address and port that were reached. */
  readonly address?: string | undefined;
}

/** The failure of an exchange whose body the page did not read to its end, as when a person leaves a screen. */
export const CLOSED = "The page closed the connection";

/** One request and what came back. It grows while the response arrives. */
export interface WireExchange {
  readonly id: number;
  /** What it is for, as `purposeOf` says. */
  readonly purpose: string;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly HeaderField[];
  readonly requestBody: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly response: WireResponse | undefined;
  /** Chunks of the body as they arrived. */
  readonly chunks: readonly Uint8Array[];
  /** Bytes of the body so far. */
  readonly size: number;
  /** Whether the end of the body was left out, because it is larger than the recorder keeps. */
  readonly isCut: boolean;
  /** Frames of an event stream, the first that the recorder could keep; empty for other bodies. */
  readonly frames: readonly WireFrame[];
  /** How many frames have arrived, kept or not. */
  readonly frameCount: number;
  /** Milliseconds from the request to the end; undefined while it runs. */
  readonly endedAt: number | undefined;
  readonly failure: string | undefined;
  /** What a gRPC server said about the call. */
  readonly grpc: StatusEvent | undefined;
}

/** Whether the response is an event stream. */
export function isEventStream({ response }: Pick<WireExchange, "response">): boolean {
  const type = response?.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return type.toLowerCase().startsWith("text/event-stream");
}

/** The text of the body as far as it was received. */
export function bodyText({ chunks }: Pick<WireExchange, "chunks">): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
