import { requestGuards } from "../../../generated/v0.1/guards.js";
import { operations } from "../../../generated/v0.1/operations.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import { invalidParams } from "../../protocol/errors.js";
import type { OperationName, OperationTypes } from "../../protocol/operations.js";
import type { UntypedObject } from "../card-interfaces.js";
import type { NewId } from "../codec.js";
import { protoJsonReader } from "../proto-json.js";
import { readRequest, requestRows } from "../read-request.js";
import { camelCased } from "../translation.js";
import { decodeRequest as decodeNewest } from "../v1.0/decode.js";
import { message } from "./content.js";
import { ANY_FILE, readMode } from "./decode-card.js";
import { enums, messages, unions } from "./fields.js";
import { webhook } from "./push.js";
import { firstDraftContextOf } from "./tasks.js";

/** Translators of parameters to the model, by operation. */
export type RequestTranslators = {
  readonly [Name in OperationName]?: (params: UntypedObject, newId: NewId) => object;
};

const rows = requestRows(operations, requestGuards);
const readLenient = protoJsonReader({ messages, unions, enums });

/** Translators for both dialects, whose member names differ but do not conflict. */
const translators: RequestTranslators = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: (params) => ({ id: taskIdIn(params), historyLength: params.historyLength }),
  CancelTask: (params) => ({ id: taskIdIn(params), metadata: params.metadata }),
  SubscribeToTask: (params) => ({ id: taskIdIn(params) }),
  CreateTaskPushNotificationConfig: (params) => {
    const config = webhookIn(params.pushNotificationConfig, taskIdIn(params));
    if (!isJsonObject(config))
      throw invalidParams(
        "pushNotificationConfig",
        config === undefined ? "is required" : "must be an object",
      );
    return { ...config, taskId: taskIdIn(params) };
  },
  GetTaskPushNotificationConfig: (params) => ({ taskId: taskIdIn(params), id: taskIdIn(params) }),
  ListTaskPushNotificationConfigs: (params) => ({ taskId: taskIdIn(params) }),
};

/**
 * Reads a request of 0.1, validated by the rules of 0.1 and then by those of the model.
 * @throws A2AError INVALID_PARAMS that names the first invalid member
 */
export function decodeRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
  newId: NewId = randomId,
): OperationTypes[Name]["request"] {
  const row = rows.get(firstDraftOperation(name));
  if (row === undefined) return decodeLoosely(name, value, { newId });
  const params = readRequest(row, named(name, value, newId), readLenient);
  return decodeLoosely(name, completed(params, value), { newId });
}

/** Renames the ids of a task and its context that callers give under other names, and generates a task id for a send without one. */
function named(name: OperationName, value: unknown, newId: NewId): unknown {
  if (!isJsonObject(value)) return value;
  const given = camelCased(value);
  const id = taskIdIn(given) ?? (translators[name] === send ? newId({ begins: given.message }) : undefined);
  return omitUndefined({ ...value, id, sessionId: given.sessionId ?? given.contextId });
}

/** The operation of 0.1 that corresponds to one of the model. 0.1 reads the only webhook of a task where the model lists webhooks. */
function firstDraftOperation(name: OperationName): string {
  return name === "ListTaskPushNotificationConfigs" ? "GetTaskPushNotificationConfig" : name;
}

/**
 * Sets `historyLength` to 0, the default of 0.1, if it is absent or negative. Adds the accepted modes, which early clients send although the
 * schema lacks them.
 */
function completed(params: { readonly historyLength?: number }, value: unknown): object {
  const historyLength = Math.max(0, params.historyLength ?? 0);
  const { acceptedOutputModes } = camelCased(value);
  return { ...params, ...omitUndefined({ historyLength, acceptedOutputModes }) };
}

/** How a dialect reads requests. */
interface Reading {
  /** Translators of the dialect, which take precedence over those for both. */
  readonly own?: RequestTranslators;
  /** Creates the ids that the request lacks; random ones by default. */
  readonly newId?: NewId | undefined;
}

/**
 * Reads a request of either dialect, validated by the rules of the model only.
 * @throws A2AError INVALID_PARAMS that names the first invalid member
 */
export function decodeLoosely<Name extends OperationName>(
  name: Name,
  value: unknown,
  { own = {}, newId = randomId }: Reading,
): OperationTypes[Name]["request"] {
  const translate = own[name] ?? translators[name];
  return decodeNewest(name, omitUndefined(translate?.(camelCased(value), newId) ?? {}));
}

function send(params: UntypedObject, newId: NewId): object {
  const { message: given, metadata, acceptedOutputModes: modes, pushNotificationConfig } = params;
  const outer = { taskId: undefined, contextId: undefined, messageId: () => newId(given) };
  const context = firstDraftContextOf(
    params,
    isJsonObject(given) ? firstDraftContextOf(given, outer) : outer,
  );
  return {
    message: message.read(given, context),
    configuration: omitUndefined({
      // "*/*" states no preference.
      acceptedOutputModes: Array.isArray(modes) ? modes.map(readMode).filter(isPreference) : undefined,
      historyLength: params.historyLength,
      taskPushNotificationConfig: webhookIn(
        params.pushNotification ?? pushNotificationConfig,
        context.taskId,
      ),
    }),
    metadata,
  };
}

const isPreference = (mode: unknown): boolean => mode !== ANY_FILE;

const randomId: NewId = () => crypto.randomUUID();

/** A webhook whose id is that of its task, if that is known. A value that is not an object is returned for the validator, null as undefined. */
function webhookIn(value: unknown, id: unknown): unknown {
  const config = webhook.read(value, "request");
  return isJsonObject(config) ? omitUndefined({ ...config, id }) : (value ?? undefined);
}

/** The task id of the parameters, under either name. */
export function taskIdIn({ id, taskId }: UntypedObject): unknown {
  return id ?? taskId ?? undefined;
}
