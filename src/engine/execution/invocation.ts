import type { Metadata } from "../../agent/updates.js";
import { withDefaults } from "../../json/with-defaults.js";
import { unboundedLogger } from "../../observability/bounded-logger.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Logger } from "../../protocol/logger.js";
import type { Message, SendMessageRequest, Task } from "../../protocol/model.js";
import type { LogEntry } from "../../task-log/log.js";
import type { TaskLog } from "../task-log.js";

/** Referenced tasks that are loaded for one message. */
const MAX_REFERENCES = 20;

/** A message that the executor is to answer, and what its request said besides. */
export interface Invocation {
  readonly message: Message;
  readonly metadata: Metadata;
  readonly acceptedOutputModes: readonly string[];
  readonly referencedTasks: readonly Task[];
  readonly call: CallContext;
}

/**
 * The members of a request that are stored with its message, so that an executor in another process can work on it. Headers and
 * the claims of the principal are not stored.
 */
interface RequestRecord {
  readonly tenant?: string;
  readonly principal?: { readonly id: string; readonly scheme?: string; readonly scopes?: readonly string[] };
  readonly extensions?: readonly string[];
  readonly version?: string;
  readonly agentUrl?: string;
  readonly streaming?: boolean;
  readonly metadata?: Metadata;
  readonly acceptedOutputModes?: readonly string[];
}

/** Never aborts: the caller of a message from the log is connected to another process, or gone. */
const forever = new AbortController().signal;

/**
 * The invocation that a request asks for.
 * @param ids the task and context of the message, where the message itself does not name them
 */
export function invocationOf(
  { message, metadata = {}, configuration }: SendMessageRequest,
  call: CallContext,
  ids: Partial<Pick<Message, "taskId" | "contextId">>,
  referencedTasks: readonly Task[],
): Invocation {
  const { acceptedOutputModes = [] } = configuration ?? {};
  return { message: withDefaults(ids, message), metadata, acceptedOutputModes, referencedTasks, call };
}

/** What is stored of an invocation, beside its message, in the log entry that records the message. */
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

/**
 * The invocation that a log entry records, possibly written by another process.
 * @param message the message that the entry records
 */
export async function recordedInvocation(
  { request = {}, trace }: LogEntry,
  message: Message,
  log: TaskLog,
  logger: Logger,
): Promise<Invocation> {
  const record: RequestRecord = request;
  const { scope } = log;
  const call: CallContext = {
    tenant: record.tenant ?? scope.tenant,
    principal: record.principal ?? { id: scope.owner },
    headers: {},
    extensions: new Set(record.extensions),
    version: record.version ?? "",
    agentUrl: record.agentUrl ?? "",
    ...(record.streaming && { streaming: true }),
    ...(trace && { trace }),
    signal: forever,
    logger: unboundedLogger(logger),
  };
  return {
    message,
    metadata: record.metadata ?? {},
    acceptedOutputModes: record.acceptedOutputModes ?? [],
    referencedTasks: await loadReferenced(message, log),
    call,
  };
}

/**
 * Loads the tasks that a message refers to, as far as they are in its own scope, and the first 20 at most.
 * @param maxName bytes of the longest id that can be stored
 */
export async function loadReferenced(
  { referenceTaskIds = [] }: Message,
  { store, scope }: TaskLog,
  maxName = Number.POSITIVE_INFINITY,
): Promise<readonly Task[]> {
  if (referenceTaskIds.length === 0) return [];
  const ids = referenceTaskIds.slice(0, MAX_REFERENCES).filter((id) => !isLonger(id, maxName));
  const found = await Promise.all(ids.map((id) => store.load(scope, id)));
  return found.flatMap((snapshot) => (snapshot ? [snapshot.task] : []));
}
