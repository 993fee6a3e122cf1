import type { StreamResponse } from "../model.js";
import type { HttpRoute, OperationName, OperationTypes } from "../operations.js";
import type { ContractFault } from "./contract-fault.js";

/** How an operation is called in one protocol version. */
export interface WireCall {
  /** JSON-RPC method. */
  readonly method: string;
  /** Routes of the HTTP+JSON binding, the preferred one first. */
  readonly http: readonly HttpRoute[];
}

/** Takes note of a fault that is to be put up with. */
export type Tolerate = (fault: ContractFault) => void;

/**
 * One protocol version's wire from the caller's side: canonical requests out, canonical answers in. Pure. An operation that
 * is missing from `calls` does not exist in that version.
 */
export interface ClientCodec {
  /** `Major.Minor`. */
  readonly version: string;
  readonly calls: ReadonlyMap<OperationName, WireCall>;
  /**
   * The request as a JSON object of this version.
   * @throws ContractFault when the request is not right, naming the member
   */
  encodeRequest<Name extends OperationName>(name: Name, request: OperationTypes[Name]["request"]): object;
  /**
   * Reads the answer to an operation. Unknown members and unknown enum names are kept; a card has known members only (§5.7).
   * @param tolerate takes faults that would be thrown otherwise; the answer is then given as far as it could be read
   * @throws ContractFault naming the first faulty member
   */
  decodeResponse<Name extends OperationName>(
    name: Name,
    value: unknown,
    tolerate?: Tolerate,
  ): OperationTypes[Name]["response"];
  /**
   * Reads one event of a stream, as {@link decodeResponse} does.
   * @returns undefined for an event of a kind that this version does not know
   */
  decodeEvent(value: unknown, tolerate?: Tolerate): StreamResponse | undefined;
}
