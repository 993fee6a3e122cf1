import { isJsonObject } from "../json/json-text.js";
import type { Message, StreamResponse } from "../protocol/model.js";
import type { OperationName, OperationTypes } from "../protocol/operations.js";
import type { CallerConventions, Tolerate } from "../versions/client-codec.js";
import { ContractFault } from "../versions/version.js";

/** Ids of a task, its context and one of its push configs. */
interface Ids {
  taskId?: string | undefined;
  contextId?: string | undefined;
  configId?: string | undefined;
}

/** The call whose responses are compared. */
interface ExpectedFor {
  readonly operation: OperationName;
  readonly request: OperationTypes[OperationName]["request"];
  /** Context of the task, if an earlier connection of the stream has named it. */
  readonly contextId?: string | undefined;
}

/** Members of requests that contain ids, and `tenant`, without which the type would not accept a request that has no ids. */
interface WithIds extends Partial<Record<"id" | "taskId" | "contextId" | "tenant", string>> {
  readonly message?: Pick<Message, "taskId" | "contextId">;
}

/** The {@link Ids} in a request. */
function idsIn({ message, id, taskId, contextId }: WithIds): Ids {
  if (message !== undefined) return { taskId: message.taskId, contextId: message.contextId };
  return taskId === undefined ? { taskId: id, contextId } : { taskId, configId: id };
}

/** Members of an object that contain ids. */
type Members = readonly (readonly [member: string, kind: keyof Ids])[];

const ofTask: Members = [
  ["id", "taskId"],
  ["contextId", "contextId"],
];
const ofUpdate: Members = [
  ["taskId", "taskId"],
  ["contextId", "contextId"],
];
const ofConfig: Members = [
  ["taskId", "taskId"],
  ["id", "configId"],
];

/** Members of an event, and the ids in them. */
const inEvent = [
  ["task", ofTask],
  ["statusUpdate", ofUpdate],
  ["artifactUpdate", ofUpdate],
  ["message", ofUpdate],
] as const satisfies readonly (readonly [keyof StreamResponse, Members])[];

/** An event, or the response to a send, which has the same shape. */
type EventLike = { readonly [Name in keyof StreamResponse]?: unknown };

/** Responses that are one object with ids. */
const single = {
  GetTask: ofTask,
  CancelTask: ofTask,
  CreateTaskPushNotificationConfig: ofConfig,
  GetTaskPushNotificationConfig: ofConfig,
} as const satisfies Table<Members>;

/** Responses that contain a list of such objects. */
const lists = {
  ListTasks: ["tasks", ofTask],
  ListTaskPushNotificationConfigs: ["configs", ofConfig],
} as const satisfies Table<readonly [string, Members]>;

/** Values for some of the operations. */
type Table<Value> = { readonly [Name in OperationName]?: Value };

/** Operations whose responses have the shape of events, or no ids. */
type WithoutOwnMembers =
  | "SendMessage"
  | "SendStreamingMessage"
  | "SubscribeToTask"
  | "DeleteTaskPushNotificationConfig"
  | "GetExtendedAgentCard";

/** Operations that are neither in a table nor in {@link WithoutOwnMembers}. With one of them, the constructor below does not compile. */
type Undecided = Exclude<OperationName, keyof typeof single | keyof typeof lists | WithoutOwnMembers>;

/**
 * The ids that the responses to a call must have: those of the request and, in a stream, those of earlier events. Without this check,
 * an agent could end or replace one task with events of another. A message that names a task continues that task only (§3.4.3). Ids
 * that a response omits are not compared. The conventions of a version can exclude the context of a message, or all ids but those of tasks.
 */
export class ExpectedIds {
  readonly #ids: Ids;
  readonly #operation: OperationName;
  readonly #taskIdsOnly: boolean | undefined;
  readonly #tolerate: Tolerate | undefined;

  constructor(
    { operation, request, contextId }: ExpectedFor,
    { taskIdsOnly, keepsContexts }: CallerConventions,
    tolerate: Tolerate | undefined,
  ) {
    const ids = idsIn(request);
    const isBound = keepsContexts || !("message" in request);
    this.#ids = { ...ids, contextId: contextId || (isBound ? ids.contextId : undefined) };
    this.#operation = operation satisfies Exclude<OperationName, Undecided>;
    this.#taskIdsOnly = taskIdsOnly;
    this.#tolerate = tolerate;
  }

  /**
   * Compares the response to a unary operation.
   * @throws ContractFault that names the first unexpected id, unless violations are tolerated
   */
  check(answer: unknown): void {
    if (!isJsonObject(answer)) return;
    const members = (single as Table<Members>)[this.#operation];
    const [name, ofEach] = (lists as Table<readonly [string, Members]>)[this.#operation] ?? [];
    if (members !== undefined) this.#compare(answer, members, "");
    else if (name === undefined || ofEach === undefined) this.checkEvent(answer);
    else if (Array.isArray(answer[name])) {
      for (const [index, one] of answer[name].entries()) this.#compare(one, ofEach, `${name}[${index}].`);
    }
  }

  /**
   * Compares an event. Later events must have the ids that it is the first to name.
   * @throws ContractFault as {@link check} does
   */
  checkEvent(event: EventLike): void {
    for (const [name, members] of inEvent) {
      const holder = event[name];
      if (holder === undefined) continue;
      this.#compare(holder, members, `${name}.`);
      for (const [member, kind] of members) this.#ids[kind] ||= idIn(holder, member);
    }
  }

  #compare(holder: unknown, members: Members, path: string): void {
    for (const [member, kind] of members) {
      const expected = this.#ids[kind];
      const id = idIn(holder, member);
      if (!expected || !id || id === expected || (kind !== "taskId" && this.#taskIdsOnly)) continue;
      const fault = new ContractFault(`${path}${member}`, `must be ${JSON.stringify(expected)}`);
      if (this.#tolerate === undefined) throw fault;
      this.#tolerate(fault);
    }
  }
}

function idIn(holder: unknown, member: string): string | undefined {
  const id = isJsonObject(holder) ? holder[member] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
