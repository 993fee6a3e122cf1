import type { OperationName, OperationTypes } from "../../../generated/v1.0/operations.js";
import { isJsonObject } from "../../json/json-text.js";
import { isValidOpen, passThroughTypes } from "../../protocol/is-valid-open.js";
import type { StreamResponse } from "../../protocol/model.js";
import { modelGuard } from "../../protocol/model-guard.js";
import { operation } from "../../protocol/operations.js";
import type { ClientCodec, Tolerate } from "../client-codec.js";
import { contractFault } from "../contract-fault.js";
import type { GrpcService } from "../grpc-service.js";
import {
  emptyValue,
  type FieldRow,
  type FieldTables,
  protoJsonReader,
  type ReaderOptions,
} from "../proto-json.js";
import { UnknownMembers } from "../unknown-members.js";
import { requestWriter } from "../write-request.js";
import { decodeCard } from "./decode-card.js";
import { enums, type MessageName, messages } from "./fields.js";
import { service } from "./grpc.js";

/** Default values of the members of list responses. Writers of ProtoJSON may omit members with their default value. */
const defaults: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  ListTasksResponse: { tasks: () => [], nextPageToken: () => "", pageSize: () => 0, totalSize: () => 0 },
  ListTaskPushNotificationConfigsResponse: { configs: () => [], nextPageToken: () => "" },
};

const options: ReaderOptions = {
  // Names in a guide that differ from the definition of the protocol (§1.4).
  aliases: {
    StreamResponse: { statusUpdate: ["taskStatusUpdate"], artifactUpdate: ["taskArtifactUpdate"] },
  },
  absent: (message: string, field: FieldRow) => defaults[message]?.[field.name]?.(),
  spacedBytes: true,
  keepNumbers: true,
};

/** Keywords of validation errors for unknown enum values: an unknown name, or a number. */
const OTHER_VALUE = ["enum", "type"];

const isStreamResponse = modelGuard<StreamResponse>("StreamResponse");

/** The value of an absent member over gRPC: 0 for a required enum; for others that of {@link options} or, if required, an empty one. */
function emptyMember(message: string, field: FieldRow): unknown {
  if (field.kind === "enum" && field.required && !field.repeated) return 0;
  return options.absent?.(message, field) ?? emptyValue(message, field);
}

/** Reads the responses of one version. */
type ResponseReader = Pick<ClientCodec, "decodeResponse" | "decodeEvent"> & {
  /**
   * Creates the members of the codec for gRPC. Its messages may omit members with their default value, so absent required members are
   * read as empty, and enums as their value 0 (§5.7).
   */
  overGrpc(
    service: GrpcService,
    encodeRequest: ClientCodec["encodeRequest"],
  ): Pick<ClientCodec, "grpc" | "encodeRequest" | "decodeResponse" | "decodeEvent">;
};

/**
 * Creates the readers of responses and events of a version, from its generated tables. A canonical value usually costs one run of its
 * guard; other values are read leniently and validated again. Unknown members are kept as {@link UnknownMembers} describes, except in
 * cards and beside the configs in a list of push configs.
 */
export function responseReader({ messages, enums }: Pick<FieldTables, "messages" | "enums">): ResponseReader {
  const readLenient = protoJsonReader({ messages, enums }, options);
  const readAsKnown = protoJsonReader({ messages, enums }, { ...options, replaceUnknownEnums: true });
  const readMessage = protoJsonReader({ messages, enums }, { ...options, absent: emptyMember });

  function validated<T>(type: MessageName, value: unknown, tolerate?: Tolerate): T {
    const isValid = modelGuard<T>(type);
    if (isValid(value)) return value;
    const unknown = new UnknownMembers(passThroughTypes);
    const rebuilt = readLenient(type, value, unknown);
    // A draft has members that the model lacks.
    if (isValidOpen(isValid, type, rebuilt)) {
      unknown.restore();
      return rebuilt;
    }
    const fault = contractFault(isValid.errors);
    // An unknown enum value may be newer, so its name or number is kept (§5.7).
    const isOther = OTHER_VALUE.includes(isValid.errors?.[0]?.keyword ?? "");
    const isNewer = isOther && isValidOpen(isValid, type, readAsKnown(type, value));
    if (!isNewer) {
      if (tolerate === undefined || !isJsonObject(rebuilt)) throw fault;
      tolerate(fault);
    }
    unknown.restore();
    return rebuilt as T;
  }

  function read<Name extends OperationName>(
    name: Name,
    value: unknown,
    tolerate?: Tolerate,
  ): OperationTypes[Name]["received"] {
    const { response: type } = operation(name);
    if (type === null) return null as OperationTypes[Name]["received"];
    return validated(type, value, tolerate);
  }

  /** Readers of responses that are not just validated by their type. */
  const readers: {
    readonly [Name in OperationName]?: (
      value: unknown,
      tolerate?: Tolerate,
    ) => OperationTypes[Name]["received"];
  } = {
    GetExtendedAgentCard: decodeCard,
    ListTaskPushNotificationConfigs: (value, tolerate) => {
      const { configs = [], nextPageToken = "" } = read("ListTaskPushNotificationConfigs", value, tolerate);
      return { configs, nextPageToken };
    },
    // Any value confirms the deletion (§3.1.10).
    DeleteTaskPushNotificationConfig: () => null,
  };

  const decodeResponse: ClientCodec["decodeResponse"] = (name, value, { tolerate } = {}) => {
    const reader = readers[name];
    return reader === undefined ? read(name, value, tolerate) : reader(value, tolerate);
  };

  const decodeEvent: ClientCodec["decodeEvent"] = (value, tolerate) => {
    if (isStreamResponse(value)) return value;
    const event = readLenient("StreamResponse", value);
    if (isJsonObject(event) && Object.keys(event).length === 0) return undefined;
    return validated("StreamResponse", value, tolerate);
  };

  return {
    decodeResponse,
    decodeEvent,
    overGrpc: (grpc, encodeRequest) => ({
      grpc,
      encodeRequest,
      decodeResponse: (name, value, reading) => {
        const { response } = operation(name);
        const message = response === null ? value : readMessage(response, value);
        return decodeResponse(name, message as typeof value, reading);
      },
      decodeEvent: (value, tolerate) => {
        const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
        return isEmpty ? undefined : decodeEvent(readMessage("StreamResponse", value), tolerate);
      },
    }),
  };
}

const own = responseReader({ messages, enums });

/** See {@link ClientCodec}. */
export const { decodeResponse, decodeEvent } = own;

/** Requests of the model are already in the shape of this version. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest: ClientCodec["encodeRequest"] = requestWriter({});

/** The members of the codec for gRPC that replace those for the other bindings. */
export const overGrpc = own.overGrpc(service, encodeRequest);
