import type { StreamResponse } from "../model.js";
import type { Operation, OperationName, OperationTypes } from "../operations.js";

/**
 * One protocol version's wire, translated to and from the canonical model. Pure: no clock, no identity, no I/O. A method
 * that is missing from `methods` does not exist in that version.
 */
export interface Codec {
  /** `Major.Minor`. */
  readonly version: string;
  /** Operations by the JSON-RPC method string of this version. */
  readonly methods: ReadonlyMap<string, Operation>;
  /**
   * Reads an operation's request, lenient as ProtoJSON readers are, and gives it in canonical form.
   * @throws A2AError INVALID_PARAMS naming the first faulty member
   */
  decodeRequest<Name extends OperationName>(name: Name, value: unknown): OperationTypes[Name]["request"];
  /** The response as a JSON value of this version. */
  encodeResponse<Name extends OperationName>(name: Name, response: OperationTypes[Name]["response"]): unknown;
  /** One event of a stream as JSON text of this version, without line breaks. */
  encodeEvent(event: StreamResponse): string;
}
