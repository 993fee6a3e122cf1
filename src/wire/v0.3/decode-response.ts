import type { TypeName } from "../../../generated/v0.3/fields.js";
import type { TaskPushNotificationConfig as TaskPush } from "../../../generated/v0.3/models.js";
import {
  isStreamEvent,
  isTask,
  isTaskPushNotificationConfig,
  isTaskPushNotificationConfigList,
  type Validator,
} from "../../../generated/v0.3/validators.js";
import type { StreamResponse, TaskPushNotificationConfig } from "../../model.js";
import type { OperationName, OperationTypes } from "../../operations.js";
import type { Reading, Tolerate } from "../client-codec.js";
import { ContractFault } from "../contract-fault.js";
import { isJsonObject } from "../json-text.js";
import { decodeCard } from "../v1.0/decode-card.js";
import { bareValue } from "./bare-value.js";
import { readLenient } from "./lenient.js";
import { pushFromProto } from "./proto-dialect.js";
import { decodePush } from "./push.js";
import { decodeTask, decodeEvent as eventOf } from "./tasks.js";

type Decoders = {
  readonly [Name in OperationName]?: (
    value: unknown,
    tolerate?: Tolerate,
  ) => OperationTypes[Name]["response"];
};

const decoders: Decoders = {
  SendMessage: (value, tolerate) => {
    const { task, message } = event(value, tolerate);
    if (task !== undefined) return { task };
    if (message !== undefined) return { message };
    throw new ContractFault("kind", "must be one of task, message");
  },
  GetTask: decodeOne,
  CancelTask: decodeOne,
  CreateTaskPushNotificationConfig: decodeConfig,
  GetTaskPushNotificationConfig: decodeConfig,
  ListTaskPushNotificationConfigs: (value, tolerate) => {
    const list = isJsonObject(value) ? (value.configs ?? []) : (value ?? []);
    const pushes = Array.isArray(list) ? list.map(pushFromProto) : list;
    const configs = read(
      isTaskPushNotificationConfigList,
      "TaskPushNotificationConfigList",
      pushes,
      tolerate,
    );
    return { configs: configs.map(flat), nextPageToken: "" };
  },
  DeleteTaskPushNotificationConfig: () => null,
  GetExtendedAgentCard: decodeCard,
};

/** Reads the answer to an operation, in either dialect of HTTP+JSON or as JSON-RPC has it. See {@link ClientCodec}. */
export function decodeResponse<Name extends OperationName>(
  name: Name,
  value: unknown,
  { tolerate }: Reading<Name> = {},
): OperationTypes[Name]["response"] {
  const decode = decoders[name];
  if (decode === undefined) throw new ContractFault("", "is the answer to an operation of another version");
  return decode(value, tolerate);
}

/** Reads one event; undefined for one of an unknown kind. */
export function decodeEvent(value: unknown, tolerate?: Tolerate): StreamResponse | undefined {
  const bare = bareValue(value);
  return isJsonObject(bare) && !KINDS.has(bare.kind) ? undefined : event(bare, tolerate);
}

const KINDS: ReadonlySet<unknown> = new Set(["task", "message", "status-update", "artifact-update"]);

/** Whether an event says that it is the last one. */
export function isLast(value: unknown): boolean {
  const bare = bareValue(value);
  return isJsonObject(bare) && bare.final === true;
}

function event(value: unknown, tolerate?: Tolerate): StreamResponse {
  return eventOf(read(isStreamEvent, "StreamEvent", bareValue(value), tolerate));
}

function decodeOne(value: unknown, tolerate?: Tolerate) {
  return decodeTask(read(isTask, "Task", bareValue(value), tolerate));
}

function decodeConfig(value: unknown, tolerate?: Tolerate): TaskPushNotificationConfig {
  const type = "TaskPushNotificationConfig";
  return flat(read(isTaskPushNotificationConfig, type, pushFromProto(value), tolerate));
}

function flat({ taskId, pushNotificationConfig }: TaskPush): TaskPushNotificationConfig {
  return { ...decodePush(pushNotificationConfig), taskId };
}

/** A canonical value costs one run of its validator; any other one is rebuilt leniently and judged again. */
function read<T>(isValid: Validator<T>, type: TypeName, value: unknown, tolerate?: Tolerate): T {
  if (isValid(value)) return value;
  const rebuilt = readLenient(type, value);
  if (isValid(rebuilt)) return rebuilt;
  const fault = ContractFault.of(isValid.errors);
  if (tolerate === undefined || !isJsonObject(rebuilt)) throw fault;
  tolerate(fault);
  return rebuilt as T;
}
