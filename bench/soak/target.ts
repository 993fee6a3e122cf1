import type { EventEmitter } from "node:events";
import { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { Execution } from "../../src/engine/execution/execution.js";
import { artifact, defineAgent, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { EventStream } from "../../src/server/node/event-stream.js";
import { MemoryStore } from "../../src/stores/index.js";
import { beWatched } from "../watched-target.js";
import { KEEP_SECONDS } from "./keep.js";

/** The script of a run, which the message has as JSON. */
interface Script {
  readonly chunks: number;
  /** Milliseconds between them. */
  readonly pause: number;
}

/** Counts: one artifact for each message, a number in each chunk. */
const agent = defineAgent({
  card: { name: "Soaked agent", description: "Counts aloud." },
  async *execute({ text, message, signal }) {
    const { chunks, pause } = JSON.parse(text) as Script;
    yield working();
    const counting = artifact({ artifactId: message.messageId });
    for (let number = 0; number < chunks; number += 1) {
      await sleep(pause, undefined, { signal });
      yield counting.text(`${number},`);
    }
  },
});

/** Timers that were set and have neither fired nor been cleared. A timer that is over may still be an object for a while. */
const timers = new Set<WeakRef<NodeJS.Timeout>>();
for (const name of ["setTimeout", "setInterval"] as const) {
  const set = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
  const counted = (...args: unknown[]) => {
    const timer = set(...args);
    timers.add(new WeakRef(timer));
    return timer;
  };
  Object.assign(globalThis, { [name]: counted });
}

function liveTimers(): number {
  for (const ref of timers) {
    const timer = ref.deref() as (NodeJS.Timeout & { _destroyed?: boolean }) | undefined;
    if (timer === undefined || timer._destroyed) timers.delete(ref);
  }
  return timers.size;
}

const kept = KEEP_SECONDS * 1000;
const store = new MemoryStore({
  ttl: { TASK_STATE_COMPLETED: kept, TASK_STATE_CANCELED: kept, TASK_STATE_FAILED: kept },
  grace: kept,
  graceLogs: 100_000,
  // Every task is checked at the end, and all callers are one owner.
  maxBytes: Number.POSITIVE_INFINITY,
  maxBytesPerOwner: Number.POSITIVE_INFINITY,
});
const server = await serve(agent, {
  store,
  limits: { streamsPerPrincipal: 10_000, tasksPerPrincipal: 10_000 },
});

/** Objects that must be gone when no caller is connected. */
const classes = {
  executions: Execution,
  "event streams": EventStream,
  "abort signals": AbortSignal,
  responses: ServerResponse,
  sockets: Socket,
} as const;

function count(): Record<string, number> {
  const counts = Object.entries(classes).map(([name, type]): [string, number] => [
    name,
    queryObjects(type, { format: "count" }),
  ]);
  return Object.fromEntries([...counts, ["timers", liveTimers()], ["listeners", listeners()]]);
}

/** Listeners on objects that live as long as the process. */
function listeners(): number {
  const emitters: EventEmitter[] = [process, process.stdout, process.stderr];
  return emitters.reduce(
    (sum, emitter) => sum + emitter.eventNames().reduce((all, name) => all + emitter.listenerCount(name), 0),
    0,
  );
}

beWatched(
  server.port,
  () => {
    const objects = count();
    return {
      tasks: store.size(),
      configs: store.configs(),
      waiting: store.waiting(),
      streams: objects["event streams"] ?? 0,
      executions: objects.executions ?? 0,
      heap: process.memoryUsage().heapUsed,
      objects,
    };
  },
  () => server.close(0),
);
