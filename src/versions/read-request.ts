import { refusal } from "../json/violation.js";
import type { Validator } from "../protocol/model.js";
import type { ProtoJsonReader } from "./proto-json.js";

/** How the request of an operation is judged in one protocol version. */
export interface RequestRow {
  readonly isRequest: Validator<object>;
  /** Name of its type. */
  readonly request: string;
}

/**
 * A request as its version has it: a canonical one, which is nearly every one, costs a single run of its validator and is used as
 * it is; any other one is rebuilt leniently and judged again.
 * @throws A2AError INVALID_PARAMS naming the first faulty member by its name in that version
 */
export function readRequest(
  { isRequest, request }: RequestRow,
  value: unknown,
  read: ProtoJsonReader,
): object {
  if (isRequest(value)) return value;
  const rebuilt = read(request, value);
  if (isRequest(rebuilt)) return rebuilt;
  throw refusal(isRequest.errors);
}
