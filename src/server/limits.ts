import type { Complete } from "../json/omit.js";
import { unknownName } from "../json/unknown-name.js";

/**
 * Limits on what callers can send and make the server hold. Times are in seconds. `Infinity` switches a limit off. Callers are
 * distinguished by their principal, and callers without an identity by their IPv4 address or IPv6 /64 network.
 */
export interface Limits {
  /** Bytes of a request body, after decompression; 10 MiB by default. */
  readonly body?: number | undefined;
  /**
   * Bytes of all request bodies together that are being received or whose caller is not known yet; 64 MiB by default. Beyond that, requests
   * are refused, those of the address with the most bytes first. A body that is the only one may exceed it.
   */
  readonly bodies?: number | undefined;
  /** The same for the requests of one address; 32 MiB by default. */
  readonly bodiesPerAddress?: number | undefined;
  /** Open connections, where `serve` listens; 10,000 by default. */
  readonly connections?: number | undefined;
  /** Open connections of one address, where `serve` listens; 2,000 by default, and any number with `trustProxy`. */
  readonly connectionsPerAddress?: number | undefined;
  /** Bytes of all request headers together, where `serve` listens; 16 KiB by default. */
  readonly headers?: number | undefined;
  /** Levels of nested objects and lists in a body; 100 by default. */
  readonly nesting?: number | undefined;
  /** Objects, lists, and members or items in them in a body; 200,000 by default. Each may take up to 100 bytes of memory. */
  readonly values?: number | undefined;
  /** Members of all objects in a body together; 50,000 by default. So many take about as long to parse as 9 MiB of text. */
  readonly members?: number | undefined;
  /** Parts of a message; 1,000 by default. */
  readonly parts?: number | undefined;
  /**
   * Bytes of all metadata in a request, as JSON; 64 KiB by default. The same limit applies to each list of extensions, referenced tasks or
   * output modes.
   */
  readonly metadata?: number | undefined;
  /**
   * Bytes of an id that a caller chooses and the server stores: of a context, message, tenant, push config or idempotency key, and of a
   * task in versions where callers choose it; 256 by default, at least 36. A longer one is refused where it would be stored, and a lookup
   * finds nothing.
   */
  readonly name?: number | undefined;
  /**
   * Approximate bytes, in memory, of the tasks on a page of a list; 8 MiB by default. A page that would have more contains fewer tasks than
   * requested, but at least one, and a token for the rest. In versions whose lists have no pages, a longer list is refused.
   */
  readonly page?: number | undefined;
  /** Messages that a task may have; further messages are refused. 10,000 by default. */
  readonly history?: number | undefined;
  /** Approximate bytes of a task as it is stored; 32 MiB by default. A task of this size accepts no further messages. */
  readonly taskBytes?: number | undefined;
  /**
   * Bytes of messages that executors work on or that wait for an executor, with the tasks that they continue and refer to; 128 MiB by
   * default. One message may exceed it, so that a message of any size can be sent. Messages of up to 1 KiB are not counted.
   */
  readonly messages?: number | undefined;
  /** The same for the messages of one caller; 32 MiB by default. */
  readonly messagesPerPrincipal?: number | undefined;
  /** Open event streams, and reads that wait for the next generation of their task; 10,000 by default. */
  readonly streams?: number | undefined;
  /** The same for one caller; 1,000 by default. */
  readonly streamsPerPrincipal?: number | undefined;
  /** Tasks whose executor is running or waits for its caller; 10,000 by default. */
  readonly tasks?: number | undefined;
  /** The same for the messages of one caller; 1,000 by default. */
  readonly tasksPerPrincipal?: number | undefined;
  /**
   * Executors that are still running `stopTime` seconds after their signal was aborted, for example because their task was canceled; 1,000
   * by default. Beyond that, messages that would start an executor are refused. These executors do not count as `tasks`.
   */
  readonly abandoned?: number | undefined;
  /** The same for the messages of one caller; 100 by default. */
  readonly abandonedPerPrincipal?: number | undefined;
  /** Time that an executor has to end after its signal was aborted, before it counts as `abandoned`; 30 by default. */
  readonly stopTime?: number | undefined;
  /**
   * Messages that may wait until an executor can start; 0 by default, which means that they are refused. Of one caller at most
   * `tasksPerPrincipal` may wait.
   */
  readonly queue?: number | undefined;
  /** How long they may wait; 30 by default. */
  readonly queueTime?: number | undefined;
  /**
   * Bytes of responses and stream events, of all callers together, that wait to be sent; 128 MiB by default. One response may exceed it, so
   * that a response of any size can be sent. Responses of up to 16 KiB are not counted.
   */
  readonly unsent?: number | undefined;
  /** The same for one caller; 32 MiB by default. */
  readonly unsentPerPrincipal?: number | undefined;
  /** Time for which a reader may read nothing of a response or stream before its connection is closed; 60 by default. */
  readonly writeTime?: number | undefined;
  /** Time within which a request must arrive, where `serve` listens; 60 by default. Its headers have a quarter of that. */
  readonly requestTime?: number | undefined;
  /**
   * Time for which an executor may work on a message; 3,600 by default. It is not counted while the executor waits for another message, and
   * starts again from 0 when that arrives. When it is over, the task fails, or the request if the agent creates no tasks.
   */
  readonly workTime?: number | undefined;
  /**
   * Time for which a request waits for a function of the application that decides about it: `authenticate`, `authorize`, `tenants`,
   * verifiers, `extendedCard`, `cancel`; 30 by default. Then the request is refused with UNAVAILABLE, or with TASK_NOT_CANCELABLE after
   * `cancel`. After the same time without an answer of `rateLimit.consume` a request is admitted.
   */
  readonly hookTime?: number | undefined;
  /** Warnings and errors of the library with the same text that are logged per minute; 100 by default. */
  readonly logLines?: number | undefined;
  /** Time for which a read may wait for the next generation of its task, in versions that have it; 25 by default. It then returns. */
  readonly pollTime?: number | undefined;
  /** Time without an event after which a stream is ended cleanly; 3,600 by default. Checked at every heartbeat. */
  readonly idleTime?: number | undefined;
}

const KIB = 1024;
const MIB = KIB * KIB;
/** Bytes of the ids that the server generates. With a smaller limit `name` it would not find its own tasks. */
const GENERATED = 36;

/** The default of a limit and its description in docs/operations.md. */
export interface LimitRow {
  readonly default: number;
  /** The unit of the default and of the option. */
  readonly unit: "bytes" | "seconds" | "count";
  /** The rest of the sentence that begins with the unit. In Markdown. */
  readonly counts: string;
  /** What happens beyond the limit. In Markdown. */
  readonly beyond: string;
}

const rowIn =
  (unit: LimitRow["unit"]) =>
  (value: number, counts: string, beyond: string): LimitRow => ({ default: value, unit, counts, beyond });
const [bytes, seconds, count] = [rowIn("bytes"), rowIn("seconds"), rowIn("count")];

/** Every limit, with its default. The settings of a server, their validation and the table in docs/operations.md come from here. */
export const limitRows: Readonly<Record<keyof Limits, LimitRow>> = {
  body: bytes(10 * MIB, "of a request, after decompression", "413 `REQUEST_TOO_LARGE`"),
  bodies: bytes(
    64 * MIB,
    "of all requests that are being received or whose caller is not known yet",
    "503 `UNAVAILABLE`",
  ),
  bodiesPerAddress: bytes(32 * MIB, "of the same requests of one address", "429 `RATE_LIMITED`"),
  connections: count(10_000, "open connections", "503, and the connection is closed"),
  connectionsPerAddress: count(
    2000,
    "the same for one address; with `trustProxy` any number",
    "429, and the connection is closed",
  ),
  headers: bytes(16 * KIB, "of all headers together", "431 from Node, or the connection is closed"),
  nesting: count(100, "levels of objects and lists", "`INVALID_REQUEST`"),
  values: count(200_000, "objects, lists, and members or items in them", "`INVALID_REQUEST`"),
  members: count(50_000, "members of all objects together", "`INVALID_REQUEST`"),
  parts: count(1000, "parts of a message", "`INVALID_PARAMS`"),
  metadata: bytes(
    64 * KIB,
    "of all metadata in a request; the same for each list of extensions, referenced tasks or output modes",
    "`INVALID_PARAMS`",
  ),
  name: bytes(
    256,
    `of an id that a caller chooses and the server stores; at least ${GENERATED}`,
    "`INVALID_PARAMS`; a lookup finds nothing",
  ),
  page: bytes(
    8 * MIB,
    "of the tasks on a page of a list, approximately",
    "fewer tasks than requested, but at least one, and a token for the rest; in versions whose lists have no pages `UNSUPPORTED_OPERATION`",
  ),
  history: count(10_000, "messages of a task", "`UNSUPPORTED_OPERATION`"),
  taskBytes: bytes(
    32 * MIB,
    "of a task as it is stored, approximately; a task of this size accepts no further messages",
    "`UNSUPPORTED_OPERATION`",
  ),
  messages: bytes(
    128 * MIB,
    "of messages that executors work on or that wait for an executor, with the tasks that they continue and refer to",
    "503 `UNAVAILABLE`",
  ),
  messagesPerPrincipal: bytes(
    32 * MIB,
    "of such messages of one caller",
    "429 `RATE_LIMITED`; `INVALID_PARAMS` for a message that refers to tasks with too many bytes",
  ),
  streams: count(
    10_000,
    "open event streams, and reads that wait for the next generation of their task",
    "503 `UNAVAILABLE`",
  ),
  streamsPerPrincipal: count(1000, "the same for one caller", "429 `RATE_LIMITED`"),
  tasks: count(
    10_000,
    "tasks whose executor is running or waits for its caller",
    "503, or messages wait: see `queue`",
  ),
  tasksPerPrincipal: count(
    1000,
    "the same for the messages of one caller",
    "429, or messages wait: see `queue`",
  ),
  abandoned: count(
    1000,
    "executors that are still running `stopTime` seconds after their signal was aborted, for example because their task was canceled; each is logged as a warning",
    "503 `UNAVAILABLE` for messages that start an executor",
  ),
  abandonedPerPrincipal: count(
    100,
    "the same for the messages of one caller",
    "503 `UNAVAILABLE` for messages that start an executor",
  ),
  stopTime: seconds(
    30,
    "for an executor to end after its signal was aborted",
    "it counts as `abandoned` instead of as one of `tasks`, unless `abandoned` or `abandonedPerPrincipal` is reached",
  ),
  queue: count(
    0,
    "messages that may wait for an executor; of one caller at most `tasksPerPrincipal`",
    "503, 429",
  ),
  queueTime: seconds(30, "for which they may wait", "503, 429"),
  unsent: bytes(
    128 * MIB,
    "of responses and stream events that wait to be sent; responses of up to 16 KiB are not counted",
    "reads wait, then 503; operations that change something get 503 only above the sum of `unsent` and `unsentPerPrincipal`",
  ),
  unsentPerPrincipal: bytes(
    32 * MIB,
    "of such responses and events of one caller",
    "reads wait, then 429; operations that change something get 429 only above twice the limit",
  ),
  writeTime: seconds(
    60,
    "without progress of the reader of a response or stream",
    "the connection is closed, with a warning in the log",
  ),
  requestTime: seconds(
    60,
    "within which a request must arrive; a quarter of it for headers",
    "408 from Node, and the connection is closed",
  ),
  workTime: seconds(
    3600,
    "of work on one message",
    "the task fails; if the agent creates no tasks, the request fails with `DEADLINE_EXCEEDED`",
  ),
  hookTime: seconds(
    30,
    "for which a request waits for a hook of the application that decides about it",
    "503 `UNAVAILABLE`; `TASK_NOT_CANCELABLE` after `cancel`",
  ),
  logLines: count(
    100,
    "warnings and errors of the library with the same text, per minute",
    "further ones are only counted",
  ),
  pollTime: seconds(25, "for which a read waits for the next generation of its task", "the task as it is"),
  idleTime: seconds(
    3600,
    "without an event after which a stream is ended cleanly",
    "the caller may subscribe again",
  ),
};

/**
 * Adds the defaults of the missing limits.
 * @throws TypeError that names the invalid limit
 */
export function resolveLimits(limits: Limits = {}): Complete<Limits> {
  const unknown = unknownName(limits, limitRows, "limits");
  if (unknown !== undefined) throw new TypeError(unknown);
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const rows: Readonly<Record<string, LimitRow>> = limitRows;
  for (const [name, value] of given) {
    const mayBeZero = rows[name]?.default === 0;
    const isValid = typeof value === "number" && (value > 0 || (value === 0 && mayBeZero));
    if (name === "name" && !(value >= GENERATED))
      throw new TypeError(
        `limits.name must be at least ${GENERATED}: ids that the server generates have ${GENERATED} bytes`,
      );
    if (!isValid) throw new TypeError(`limits.${name} must be ${mayBeZero ? "0 or " : ""}a positive number`);
  }
  const defaults = Object.entries(limitRows).map(([name, row]) => [name, row.default]);
  // Each limit has a row, so none is missing, but the type of the entries does not show that.
  return Object.fromEntries([...defaults, ...given]) as unknown as Complete<Limits>;
}
