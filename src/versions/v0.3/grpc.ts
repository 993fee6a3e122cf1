import { methodOperations, serviceName } from "../../../generated/v0.3/service.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import { invalidParams } from "../../protocol/errors.js";
import { type Operation, type OperationName, operation } from "../../protocol/operations.js";
import type { UntypedObject } from "../card-interfaces.js";
import type { Codec } from "../codec.js";
import type { GrpcService } from "../grpc-service.js";
import { idsInName, MAX_RESOURCE_NAME } from "./names.js";

/** The gRPC service of protocol 0.3. Most of its requests have the name of a resource, such as `tasks/{id}`: see {@link namedBy}. */
export const service: GrpcService = {
  service: serviceName,
  methods: new Map<string, Operation>(
    Object.entries(methodOperations).map(([method, name]) => [method, operation(name)]),
  ),
  descriptor: async () => (await import("../../../generated/v0.3/grpc.js")).fileDescriptor,
};

/** Forms of names. */
const [TASK, CONFIG] = ["tasks/{id}", "tasks/{id}/pushNotificationConfigs/{id}"];

/** The member with the name of a resource, and the accepted forms of the name, by operation. */
const namedBy: { readonly [Name in OperationName]?: readonly ["name" | "parent", ...forms: string[]] } = {
  GetTask: ["name", TASK],
  CancelTask: ["name", TASK],
  SubscribeToTask: ["name", TASK],
  CreateTaskPushNotificationConfig: ["parent", TASK],
  GetTaskPushNotificationConfig: ["name", CONFIG, TASK],
  ListTaskPushNotificationConfigs: ["parent", TASK],
  DeleteTaskPushNotificationConfig: ["name", CONFIG],
};

/**
 * Creates a reader of requests that have names of resources. It throws INVALID_PARAMS for a name that the operation does not accept.
 * @param decode reads requests with the ids as members, named as in the paths of HTTP+JSON: `task` and `pushNotificationConfigId`
 */
export function readingNames(decode: Codec["decodeRequest"]): Codec["decodeRequest"] {
  return (operationName, value) => {
    const [member, ...forms] = namedBy[operationName] ?? [];
    if (member === undefined || !isJsonObject(value)) return decode(operationName, value);
    const { [member]: name, ...rest } = value;
    const [task, pushNotificationConfigId] = idsInName(name);
    if (task === undefined || !forms.includes(pushNotificationConfigId ? CONFIG : TASK)) {
      const form = `must have the form ${forms.join(" or ")}, with at most ${MAX_RESOURCE_NAME} characters`;
      throw invalidParams(member, form);
    }
    return decode(operationName, omitUndefined({ ...rest, task, pushNotificationConfigId }));
  };
}

/**
 * Replaces `id` and `pushNotificationConfigId` of a request by the name of a resource. A request to create a push config has its name
 * already.
 */
export function withName(
  operationName: OperationName,
  { id, pushNotificationConfigId, ...rest }: UntypedObject,
): object {
  const [member] = namedBy[operationName] ?? [];
  if (member === undefined || id === undefined) return rest;
  const config =
    pushNotificationConfigId === undefined ? "" : `/pushNotificationConfigs/${pushNotificationConfigId}`;
  return { ...rest, [member]: `tasks/${id}${config}` };
}
