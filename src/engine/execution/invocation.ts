import { valueSize } from "../../json/value-size.js";
import { withDefaults } from "../../json/with-defaults.js";
import { unboundedLogger } from "../../observability/bounded-logger.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Message, Metadata, SendMessageRequest, Task } from "../../protocol/model.js";
import { protocolVersion } from "../../protocol/operations.js";
import type { LogEntry } from "../../task-log/log.js";
import type { EngineOptions, MessageHold, MessageLimiter } from "../engine-options.js";
import { type TaskLog, taskSize } from "../task-log.js";

/** Maximum number of a message's references to tasks that are read; later ones are ignored. */
const MAX_REFERENCES = 20;

/** A message is not counted if its request has a body of at most this many characters, or takes at most this many bytes of memory. */
const MAX_UNCOUNTED = 1024;

/** A request to send a message, with its call. */
export interface ReceivedMessage {
  readonly request: SendMessageRequest;
  readonly call: CallContext;
  /** Counts its bytes; undefined if no bytes are counted. */
  readonly hold: MessageHold | undefined;
}

/**
 * Begins to count the bytes of a received message. The request is measured only if its body may be large.
 * @throws A2AError RATE_LIMITED, UNAVAILABLE
 */
export function receivedMessage(
  request: SendMessageRequest,
  call: CallContext,
  limiter: MessageLimiter | undefined,
): ReceivedMessage {
  const hold = limiter?.hold(call);
  const { bodyLength = Number.POSITIVE_INFINITY } = call;
  const bytes = hold === undefined || bodyLength <= MAX_UNCOUNTED ? 0 : valueSize(request);
  if (bytes > MAX_UNCOUNTED) hold?.set("message", bytes);
  return { request, call, hold };
}

/** A message for the executor, with facts about its request and the tasks that it refers to. */
export interface Invocation {
  readonly message: Message;
  readonly metadata: Metadata;
  readonly acceptedOutputModes: readonly string[];
  readonly referencedTasks: readonly Task[];
  readonly call: CallContext;
  /** Counts the bytes of the invocation; undefined if no bytes are counted. */
  readonly hold: MessageHold | undefined;
}

/**
 * The facts about a request that are stored with its message, so that an executor on another node can work on it. Headers and the claims
 * of the principal are not stored.
 */
interface RequestRecord {
  readonly tenant?: string;
  readonly principal?: { readonly id: string; readonly scheme?: string; readonly scopes?: readonly string[] };
  readonly extensions?: readonly string[];
  /** Absent only if it is {@link protocolVersion} and no other fact is stored. */
  readonly version?: string;
  readonly agentUrl?: string;
  readonly streaming?: boolean;
  readonly metadata?: Metadata;
  readonly acceptedOutputModes?: readonly string[];
}

/**
 * The invocation for a received message.
 * @param ids the task and context; they replace those that the message names
 */
export function invocationOf(
  { request: { message, metadata = {}, configuration }, call, hold }: ReceivedMessage,
  ids: Partial<Pick<Message, "taskId" | "contextId">>,
  referencedTasks: readonly Task[],
): Invocation {
  const { acceptedOutputModes = [] } = configuration ?? {};
  return { message: withDefaults(ids, message), metadata, acceptedOutputModes, referencedTasks, call, hold };
}

/** The part of an invocation that a log entry can store in addition to the message and the trace. */
export function requestRecord({
  call,
  metadata,
  acceptedOutputModes,
}: Invocation): NonNullable<LogEntry["request"]> {
  const { id, scheme, scopes } = call.principal;
  const record: RequestRecord = {
    tenant: call.tenant,
    principal: { id, ...(scheme !== undefined && { scheme }), ...(scopes && { scopes: [...scopes] }) },
    extensions: [...call.extensions],
    version: call.version,
    agentUrl: call.agentUrl,
    ...(call.streaming && { streaming: true }),
    metadata,
    acceptedOutputModes: [...acceptedOutputModes],
  };
  return { ...record };
}

/** The record of a request of which only the protocol version is stored; undefined for {@link protocolVersion}. */
export function versionRecord({ call: { version } }: Invocation): LogEntry["request"] {
  return version === protocolVersion ? undefined : { version };
}

/**
 * The invocation that a log entry records. Another node may have written the entry. The bytes of the invocation are counted even beyond
 * the limits, because the message was accepted before.
 * @param message the message that the entry records
 * @throws what the store throws
 */
export async function recordedInvocation(
  { request = {}, trace }: LogEntry,
  message: Message,
  log: TaskLog,
  { logger, messageLimiter }: Pick<EngineOptions, "logger" | "messageLimiter">,
): Promise<Invocation> {
  const record: RequestRecord = request;
  const { scope } = log;
  const call: CallContext = {
    tenant: record.tenant ?? scope.tenant,
    principal: record.principal ?? { id: scope.owner },
    headers: {},
    extensions: new Set(record.extensions),
    version: record.version ?? protocolVersion,
    agentUrl: record.agentUrl ?? "",
    ...(record.streaming && { streaming: true }),
    ...(trace && { trace }),
    // Never aborts: an entry of the log does not identify the caller's connection.
    signal: new AbortController().signal,
    logger: unboundedLogger(logger),
  };
  const referencedTasks = await loadReferenced(message, log);
  const { metadata = {}, acceptedOutputModes = [] } = record;
  const hold = messageLimiter?.hold(call);
  const bytes =
    hold === undefined ? 0 : valueSize(message) + valueSize(metadata) + valueSize(referencedTasks);
  if (bytes > MAX_UNCOUNTED) hold?.set("message", bytes, false);
  return { message, metadata, acceptedOutputModes, referencedTasks, call, hold };
}

/**
 * Loads the tasks to which the first 20 references of a message refer, and skips references without a task in the scope. The tasks are
 * loaded one by one, and each is counted before the next is loaded.
 * @param maxName bytes of the longest id that can be stored
 * @param hold counts the tasks; absent to leave that to the calling function
 * @throws A2AError as {@link MessageHold.set} does; what the store throws
 */
export async function loadReferenced(
  { referenceTaskIds = [] }: Message,
  { store, scope }: TaskLog,
  maxName = Number.POSITIVE_INFINITY,
  hold?: MessageHold,
): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  let bytes = 0;
  for (const taskId of referenceTaskIds.slice(0, MAX_REFERENCES)) {
    const found = isLonger(taskId, maxName) ? undefined : await store.load(scope, taskId);
    if (found === undefined) continue;
    tasks.push(found.task);
    if (hold === undefined) continue;
    bytes += taskSize({ store, scope, taskId }, found.task);
    hold.set("references", bytes);
  }
  return tasks;
}
