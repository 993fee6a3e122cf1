import { requestGuards } from "../../../generated/v1.0/guards.js";
import { type OperationName, type OperationTypes, operations } from "../../../generated/v1.0/operations.js";
import { invalidParams } from "../../protocol/errors.js";
import { passThroughTypes } from "../../protocol/is-valid-open.js";
import type { Validator } from "../../protocol/model.js";
import type { Codec } from "../codec.js";
import { type Aliases, type FieldTables, protoJsonReader } from "../proto-json.js";
import { type RequestRow, refusal, requestRows } from "../read-request.js";
import { REQUEST_BOUND, UnknownMembers } from "../unknown-members.js";
import { enums, messages } from "./fields.js";

/** Names from drafts that clients still send (§11.5). */
const aliases: Aliases = {
  ListTasksRequest: { statusTimestampAfter: ["lastUpdatedAfter", "last_updated_after"] },
};

/** Rules for requests that their types do not express, by operation. */
const furtherRules: {
  readonly [Name in OperationName]?: (request: OperationTypes[Name]["request"]) => void;
} = {
  // A config may lack the task id only as part of a send, because the task may not exist yet (§11.3.3).
  CreateTaskPushNotificationConfig: ({ taskId }) => {
    if (!taskId) throw invalidParams("taskId", "is required");
  },
};

/** The generated code of a version for reading requests. */
interface RequestTables extends Pick<FieldTables, "messages" | "enums"> {
  readonly operations: readonly { readonly name: OperationName; readonly request: string }[];
  readonly requestGuards: Readonly<Record<OperationName, Validator<object>>>;
}

/**
 * Creates a reader of requests. A canonical request, the usual case, costs one run of its validator and is returned unchanged. Any other
 * request is read leniently and validated again. Unknown members of messages that are passed on are kept as {@link UnknownMembers}
 * describes, within limits; others are dropped (§5.5, §5.7). The reader throws A2AError INVALID_PARAMS that names the first invalid member.
 */
export function requestReader({
  operations,
  requestGuards,
  messages,
  enums,
}: RequestTables): Codec["decodeRequest"] {
  const rows = requestRows(operations, requestGuards);
  const readLenient = protoJsonReader({ messages, enums }, { aliases });

  function read<Name extends OperationName>(name: Name, value: unknown): OperationTypes[Name]["request"] {
    const { isRequest, request } = rows.get(name) as RequestRow<OperationTypes[Name]["request"]>;
    if (isRequest(value)) return value;
    const unknown = new UnknownMembers(passThroughTypes, REQUEST_BOUND);
    const rebuilt = readLenient(request, value, unknown);
    if (!isRequest(rebuilt)) throw refusal(isRequest.errors);
    unknown.restore();
    return rebuilt;
  }

  return (name, value) => {
    const request = read(name, value);
    furtherRules[name]?.(request);
    return request;
  };
}

/** Reads a request of protocol 1.0. See {@link requestReader}. */
export const decodeRequest = requestReader({ operations, requestGuards, messages, enums });
