import { methodOperations, serviceName } from "../../../generated/v0.3/service.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import { invalidParams } from "../../protocol/errors.js";
import { type Operation, type OperationName, operation } from "../../protocol/operations.js";
import type { UntypedObject } from "../card-interfaces.js";
import type { Codec } from "../codec.js";
import type { GrpcService } from "../grpc-service.js";
import { MAX_RESOURCE_NAME } from "./names.js";

/**
 * The gRPC service of protocol 0.3. Requests other than sends refer to tasks and push configs by the names of resources, such as
 * `tasks/{id}`, instead of by ids.
 */
export const service: GrpcService = {
  service: serviceName,
  methods: new Map<string, Operation>(
    Object.entries(methodOperations).map(([method, name]) => [method, operation(name)]),
  ),
  descriptor: async () => (await import("../../../generated/v0.3/grpc.js")).fileDescriptor,
};

const FORM = `tasks/{id} or tasks/{id}/pushNotificationConfigs/{id}, with at most ${MAX_RESOURCE_NAME} characters`;
const RESOURCE = /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]*))?$/;

/** The member with the name of a resource, by operation. */
const namedBy: { readonly [Name in OperationName]?: "name" | "parent" } = {
  GetTask: "name",
  CancelTask: "name",
  SubscribeToTask: "name",
  CreateTaskPushNotificationConfig: "parent",
  GetTaskPushNotificationConfig: "name",
  ListTaskPushNotificationConfigs: "parent",
  DeleteTaskPushNotificationConfig: "name",
};

/**
 * Creates a reader of requests that have names of resources.
 * @param decode reads requests with the ids as members, named as in the paths of HTTP+JSON: `task` and `pushNotificationConfigId`
 */
export function readingNames(decode: Codec["decodeRequest"]): Codec["decodeRequest"] {
  return (operationName, value) => {
    const member = namedBy[operationName];
    if (member === undefined || !isJsonObject(value)) return decode(operationName, value);
    const { [member]: name, ...rest } = value;
    const [task, pushNotificationConfigId] = idsIn(name, member);
    return decode(operationName, omitUndefined({ ...rest, task, pushNotificationConfigId }));
  };
}

/**
 * The ids in the name of a resource.
 * @throws A2AError INVALID_PARAMS for a name that is absent, has another form, or is too long
 */
function idsIn(name: unknown, member: string): readonly [task: string, config: string | undefined] {
  const found = typeof name === "string" && name.length <= MAX_RESOURCE_NAME ? RESOURCE.exec(name) : null;
  if (found === null) throw invalidParams(member, `must have the form ${FORM}`);
  const [, task = "", config] = found;
  return [task, config || undefined];
}

/** Converts a request with ids to the form of the gRPC messages, which have the name of a resource instead. */
export function withName(
  operationName: OperationName,
  { id, pushNotificationConfigId, ...rest }: UntypedObject,
): object {
  const member = namedBy[operationName];
  if (member === undefined || id === undefined) return rest;
  const config =
    pushNotificationConfigId === undefined ? "" : `/pushNotificationConfigs/${pushNotificationConfigId}`;
  return { ...rest, [member]: `tasks/${id}${config}` };
}
