import type { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import type { BodyReply, HostRequest, ReadAhead, StreamReply } from "../host.js";
import type { ChosenRequest, OperationRequest, RefusedRequest } from "../operation-request.js";
import type { ServedAgent } from "../served-agent.js";

/** The answer of an operation that has one answer. */
export interface Answer {
  /** As a JSON value of the caller's version; null when the answer is empty. */
  readonly value: unknown;
  /** About how many bytes the answer has. Present for lists, which are written over several turns when they are long. */
  readonly size?: () => number;
}

/** The answer of an operation that streams. */
export interface OpenedStream {
  /** The first event; undefined when the answer begins before there is one. */
  readonly first: StreamResponse | undefined;
  /** The events after that. */
  readonly rest: AsyncIterator<StreamResponse> & ReadAhead<StreamResponse>;
  /** What the caller may know of a failure of the stream. The failure is reported here. */
  failed(thrown: unknown): A2AError;
  /** Called when the stream is over: it has ended or failed, or its reader has left. May be called again. */
  readonly closed?: (() => void) | undefined;
}

/**
 * A binding of the protocol to a transport (§5). It reads requests and prints answers, and decides nothing else: the pipeline
 * knows who may call what, in which version and in which order that is found out. `Frame` is what a stream gives the host to write.
 */
export interface Binding<Frame = string> {
  /** Takes a request in. Nothing of it is read, so that what is refused before can be printed too. */
  accept(host: HostRequest, agent: ServedAgent): OperationRequest;
  /** @returns a promise for long lists only */
  printAnswer(answer: Answer, request: ChosenRequest): BodyReply | Promise<BodyReply>;
  printStream(stream: OpenedStream, request: ChosenRequest): StreamReply<Frame>;
  printError(error: A2AError, request: RefusedRequest): BodyReply;
}
