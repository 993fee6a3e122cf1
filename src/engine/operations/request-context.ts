import { unboundedLogger } from "../../observability/bounded-logger.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Logger } from "../../protocol/logger.js";
import type { Message, Task } from "../../protocol/model.js";
import type { LogEntry } from "../../task-log/log.js";
import type { Invocation } from "../execution/invocation.js";
import type { TaskLog } from "../task-log.js";

/** How many referenced tasks are looked up for one message. */
const REFERENCES = 20;

/** What of a request goes into the log beside its message, for an executor in another process. No headers, no claims. */
interface RequestContext {
  readonly tenant?: string;
  readonly principal?: { readonly id: string; readonly scheme?: string; readonly scopes?: readonly string[] };
  readonly extensions?: readonly string[];
  readonly version?: string;
  readonly agentUrl?: string;
  readonly streaming?: boolean;
  readonly metadata?: Invocation["metadata"];
  readonly acceptedOutputModes?: readonly string[];
}

/** Never aborts: who sent the message is somewhere else, or gone. */
const forever = new AbortController().signal;

/** What an executor in another process has to know of a request. */
export function requestOf({
  call,
  metadata,
  acceptedOutputModes,
}: Invocation): NonNullable<LogEntry["request"]> {
  const { id, scheme, scopes } = call.principal;
  const facts: RequestContext = {
    tenant: call.tenant,
    principal: { id, ...(scheme !== undefined && { scheme }), ...(scopes && { scopes: [...scopes] }) },
    extensions: [...call.extensions],
    version: call.version,
    agentUrl: call.agentUrl,
    ...(call.streaming && { streaming: true }),
    metadata,
    acceptedOutputModes: [...acceptedOutputModes],
  };
  return { ...facts };
}

/**
 * What an executor is to answer, from the entry that records the message.
 * @param message that the entry records
 */
export async function turnOf(
  { request = {}, trace }: LogEntry,
  message: Message,
  log: TaskLog,
  logger: Logger,
): Promise<Invocation> {
  const facts: RequestContext = request;
  const { scope } = log;
  const call: CallContext = {
    tenant: facts.tenant ?? scope.tenant,
    principal: facts.principal ?? { id: scope.owner },
    headers: {},
    extensions: new Set(facts.extensions),
    version: facts.version ?? "",
    agentUrl: facts.agentUrl ?? "",
    ...(facts.streaming && { streaming: true }),
    ...(trace && { trace }),
    signal: forever,
    logger: unboundedLogger(logger),
  };
  return {
    message,
    metadata: facts.metadata ?? {},
    acceptedOutputModes: facts.acceptedOutputModes ?? [],
    referencedTasks: await referencedTasks(message, log),
    call,
  };
}

/**
 * Earlier tasks that a message refers to, as far as they are in the scope of its own (TURN-17).
 * @param maxName bytes that names have at most: nothing is stored under a longer one
 */
export async function referencedTasks(
  { referenceTaskIds = [] }: Message,
  { store, scope }: TaskLog,
  maxName = Number.POSITIVE_INFINITY,
): Promise<readonly Task[]> {
  if (referenceTaskIds.length === 0) return [];
  const ids = referenceTaskIds.slice(0, REFERENCES).filter((id) => !isLonger(id, maxName));
  const found = await Promise.all(ids.map((id) => store.load(scope, id)));
  return found.flatMap((snapshot) => (snapshot ? [snapshot.task] : []));
}
