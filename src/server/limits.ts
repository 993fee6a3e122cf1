/**
 * Bounds on what callers can send and hold. Times are in seconds. `Infinity` lifts a bound. Callers are told apart by
 * their principal; those without an identity by their IP address, or its /64 network.
 */
export interface Limits {
  /** Bytes of a request body, after decompression; 10 MiB by default. */
  readonly body?: number;
  /**
   * Bytes of all requests together that are being received or wait until their caller is known; 64 MiB by default. Beyond it the address
   * with the most gives way. A single body always has room.
   */
  readonly bodies?: number;
  /** The same for those of one address; 32 MiB by default. */
  readonly bodiesPerAddress?: number;
  /** Open connections, where `serve` listens; 10,000 by default. */
  readonly connections?: number;
  /** Open connections of one address, where `serve` listens; 2,000 by default, and any number with `trustProxy`. */
  readonly connectionsPerAddress?: number;
  /** Bytes of all request headers together, where `serve` listens; 16 KiB by default. */
  readonly headers?: number;
  /** Levels of objects and lists within each other in a body; 100 by default. */
  readonly nesting?: number;
  /** Objects, lists, and members or items in them in a body; 200,000 by default. Each may take up to 100 bytes of memory. */
  readonly values?: number;
  /** Parts of a message; 1,000 by default. */
  readonly parts?: number;
  /**
   * Bytes of all metadata in a request, as JSON; 64 KiB by default. Also of each list of extensions, referenced tasks or output modes in
   * it.
   */
  readonly metadata?: number;
  /**
   * Bytes of a name that a caller chooses and the server stores: of a context, message, tenant, push config or idempotency key, and
   * of a task where callers name tasks; 256 by default. A longer one is refused where it would be stored, and finds nothing where it is
   * looked up.
   */
  readonly name?: number;
  /**
   * Bytes of the tasks on a page of a list, about as they are in memory; 8 MiB by default. A page that would have more has fewer tasks
   * than asked for, one at least, and a token for the rest. In versions whose lists have no pages a longer list is refused.
   */
  readonly page?: number;
  /** Messages that a task may have; further messages are refused. 10,000 by default. */
  readonly history?: number;
  /** Open event streams; 10,000 by default. */
  readonly streams?: number;
  /** Open event streams of one caller; 1,000 by default. */
  readonly streamsPerPrincipal?: number;
  /** Tasks whose executor is at work or waits for its caller; 10,000 by default. */
  readonly tasks?: number;
  /** The same for the messages of one caller; 1,000 by default. */
  readonly tasksPerPrincipal?: number;
  /**
   * Executors that go on although they were told to stop, as their task was canceled; 1,000 by default. Beyond it no message starts
   * an executor. They do not count as `tasks`.
   */
  readonly abandoned?: number;
  /** The same for the messages of one caller; 100 by default. */
  readonly abandonedPerPrincipal?: number;
  /** How long an executor that was told to stop has to end before it counts as `abandoned`; 30 by default. */
  readonly stopTime?: number;
  /** Messages that may wait until an executor can begin; 0 by default: they are refused. */
  readonly queue?: number;
  /** How long they may wait; 30 by default. */
  readonly queueTime?: number;
  /**
   * Bytes of answers and stream events that wait to be sent to all callers; 128 MiB by default. One answer may exceed it, so that
   * each can be sent. Answers of up to 16 KiB are not counted.
   */
  readonly unsent?: number;
  /** The same for one caller; 32 MiB by default. */
  readonly unsentPerPrincipal?: number;
  /** How long a reader may take nothing of an answer or stream before its connection is closed; 60 by default. */
  readonly writeTime?: number;
  /** In which a request must have arrived, where `serve` listens; 60 by default. Its headers have a quarter of that. */
  readonly requestTime?: number;
  /** How long an executor may work on a message, waits for its caller left out; 3,600 by default. Then the task fails. */
  readonly workTime?: number;
  /**
   * How long a request waits for a function of the application that decides about it: `authenticate`, `authorize`, `tenants`,
   * verifiers, `extendedCard`, `cancel`; 30 by default. Then it is refused with UNAVAILABLE.
   */
  readonly hookTime?: number;
  /** Warnings and errors of the library with the same text that are logged in a minute; 100 by default. */
  readonly logLines?: number;
  /** After which a stream without events is ended in good order; 3,600 by default. Checked at every heartbeat. */
  readonly idleTime?: number;
}

const KIB = 1024;
const HOUR = 3600;

const defaults: Required<Limits> = {
  body: 10 * KIB * KIB,
  bodies: 64 * KIB * KIB,
  bodiesPerAddress: 32 * KIB * KIB,
  connections: 10_000,
  connectionsPerAddress: 2000,
  headers: 16 * KIB,
  nesting: 100,
  values: 200_000,
  parts: 1000,
  metadata: 64 * KIB,
  name: 256,
  page: 8 * KIB * KIB,
  history: 10_000,
  streams: 10_000,
  streamsPerPrincipal: 1000,
  tasks: 10_000,
  tasksPerPrincipal: 1000,
  abandoned: 1000,
  abandonedPerPrincipal: 100,
  stopTime: 30,
  queue: 0,
  queueTime: 30,
  unsent: 128 * KIB * KIB,
  unsentPerPrincipal: 32 * KIB * KIB,
  writeTime: 60,
  requestTime: 60,
  workTime: HOUR,
  hookTime: 30,
  logLines: 100,
  idleTime: HOUR,
};

/**
 * Fills in what was left out.
 * @throws TypeError naming the limit that cannot be right
 */
export function settleLimits(limits: Limits = {}): Required<Limits> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`limits: there is no ${name}`);
    const isRight = typeof value === "number" && (value > 0 || (value === 0 && name === "queue"));
    if (!isRight) throw new TypeError(`limits.${name} must be a positive number`);
  }
  return { ...defaults, ...Object.fromEntries(given) };
}
